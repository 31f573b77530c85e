/**
 * Whatever is printed as a command to type next works when it is pasted: in every protocol, from another directory, in the
 * words in which it stands there. Each one is run on a copy of the workspace as it was when the command was printed.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { quickCli } from './cli-program.ts'

/** The commands in a text: the rest of a row, or of a sentence up to where the command ends. */
function commandsIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const row = /^[a-z ]+: +((?:signalbox|acmq) .*)$/.exec(line)
    if (row && !line.startsWith('hint:')) return [row[1]!]
    return [
      ...line.matchAll(/(?<![\w/`-])`?((?:signalbox|acmq) --root .*?)(?=\. [A-Z]|\.?$|`|, (?:or|then) |;|\)\.?)/g),
    ].map((found) => found[1]!)
  })
}

/** As a shell takes them. */
const wordsOf = (command: string): string[] =>
  spawnSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .stdout.split('\0')
    .slice(0, -1)

class Desk {
  readonly root = tempDir()
  readonly printed = new Map<string, number>()

  /** Runs a command of the story, and pastes what it prints. */
  type(words: readonly string[]): void {
    const { out, err } = quickCli([...words, '--root', this.root])
    for (const command of commandsIn(`${out}\n${err}`)) {
      const copy = join(tempDir(), 'copy')
      cpSync(this.root, copy, { recursive: true, preserveTimestamps: true })
      const [program, ...rest] = wordsOf(command.replaceAll(this.root, copy))
      expect(program, command).toMatch(/^(signalbox|acmq)$/)
      const pasted = quickCli(program === 'acmq' ? ['acmq', ...rest] : rest)
      expect({ after: words, command, said: `${pasted.exit} ${pasted.err}` }).toEqual({
        after: words,
        command,
        said: expect.stringMatching(/^[01] /),
      })
      expect(command).toContain(`--root ${this.root}`)
      this.printed.set(command.replaceAll(this.root, 'ROOT'), Number(pasted.exit))
    }
  }

  say(line: string): void {
    this.type(line.split(' '))
  }

  write(path: string, text: string): void {
    mkdirSync(join(this.root, path, '..'), { recursive: true })
    writeFileSync(join(this.root, path), text)
  }
}

const stories: Readonly<Record<string, { readonly least: number; readonly tell: (desk: Desk) => void }>> = {
  'AC-MQ': {
    least: 8,
    tell(desk) {
      for (const line of [
        'acmq missions',
        'acmq status nowhere',
        'acmq create-mission alpha',
        'acmq send alpha --from ann --to bob --id one --body One',
        'acmq complete alpha one --as bob',
        'acmq claim alpha --as bob',
        'acmq show alpha nothing',
        'acmq fail alpha one --as bob --reason No',
        'acmq send alpha --from ann --to ghost --id two --depends msg:one --body Two',
        'doctor',
      ])
        desk.say(line)
      desk.write('.signalbox/policy.yaml', 'hold:\n  - "deploy *"\n')
      desk.say('acmq send alpha --from ann --to bob --id three --summary x --body deploy-it')
      desk.type(['acmq', 'send', 'alpha', '--from', 'ann', '--to', 'bob', '--id', 'four', '--body', 'deploy it'])
      desk.say('acmq claim alpha --as bob --id four')
      desk.say('human list')
      desk.say('doctor')
    },
  },
  'Message Routing': {
    least: 7,
    tell(desk) {
      desk.write('signalbox.yaml', 'mr:\n  inboxLimit: 10\n')
      desk.say('mr status')
      desk.say('mr keys')
      desk.say('mr broadcast --from lead --type heartbeat --payload {"health":"healthy"}')
      desk.say('mr receive nobody')
      desk.say('mr init lead')
      desk.say('mr init coder-1')
      desk.say('mr send --from lead --to coder-1 --type task-delegation --payload {"task":"x"} --requires-ack')
      desk.say('mr receive coder-1')
      desk.say('mr ack coder-1 msg_00000000')
      for (let n = 0; n < 11; n++)
        desk.say('mr send --from lead --to coder-1 --type heartbeat --payload {"health":"healthy"}')
      desk.write('state/agents/coder-1/inbox/msg_aaaaaaaa.json', '{"half')
      desk.say('mr send --from lead --to ghost --type heartbeat --payload {"health":"healthy"}')
      desk.say('doctor')
      desk.say('human list')
    },
  },
  CIRCE: {
    least: 9,
    tell(desk) {
      desk.say('circe init eng qa')
      desk.say('circe send --from lead --to eng --intent implement_feature --task T-1 --summary Build')
      desk.say('circe claim eng')
      // Anybody may have chosen the name of a file.
      const head = '# MESSAGE\nfrom: lead\nto: qa\nintent: inform\nstatus: new\ncreated_at: 2026-01-01T12:00:00Z\n\n'
      desk.write("AI_MANAGER/NEW_MESSAGES/it's $(echo x) ;x.md", `${head}## Summary\nHello\n`)
      desk.say('circe claim qa')
      desk.say('circe release qa --task T-1')
      desk.say('circe tasks T-2')
      desk.say('circe done qa 20250101_000000_a-b_inform.md')
      desk.say('circe send --from eng --to ghost --intent inform --summary Hello')
      desk.say('circe send --from eng --to ROOSTER --intent question --task T-1 --summary Which')
      desk.say('human list')
      desk.say('doctor')
    },
  },
  'Dream.OS': {
    least: 7,
    tell(desk) {
      desk.say('dream mailbox list')
      desk.say('dream mailbox claim --agent Worker')
      desk.say('dream mailbox next --mailbox 1 --as Worker')
      desk.say('dream mailbox init 1')
      desk.say('dream mailbox next --mailbox 1 --as Worker')
      desk.say('dream mailbox claim --agent Worker')
      desk.say('dream mailbox send --mailbox 1 --command run --params {} --from Lead')
      desk.say('dream mailbox next --mailbox 1 --as Worker')
      desk.write('task.json', '{"task_id":"t-1","action":"run"}')
      desk.say(`dream task send --to Bob --file ${join(desk.root, 'task.json')} --as Lead`)
      desk.say('doctor')
      desk.say('dream task take Bob')
      desk.say('dream task done Bob nothing.json')
      desk.say('dream state build')
      desk.say('human list')
    },
  },
  sessions: {
    least: 2,
    tell(desk) {
      desk.say('session list')
      desk.say('session say --as DevAgent #ESCALATE:which-database')
      desk.say('human list')
      desk.say('doctor')
    },
  },
}

describe('a command that is printed to be typed next', () => {
  for (const [protocol, { least, tell }] of Object.entries(stories)) {
    verifies('X-uniform', `works when it is pasted, from any directory: ${protocol}`, () => {
      const desk = new Desk()
      tell(desk)
      expect(desk.printed.size, [...desk.printed.keys()].join('\n')).toBeGreaterThanOrEqual(least)
    })
  }
})
