import { treePath } from '../../kernel/tree-path.ts'
import { changeLeaf } from '../../messaging/leaves/change.ts'
import { bytesOf, type Chapter } from '../chapter.ts'
import { sharedAgent } from './index.ts'

export const sessions: Chapter = {
  name: 'sessions',
  title: 'Shared Agent Protocol: a session that many speak in',
  async play({ tree, another, clock, say, step, show, ports, makeRepository }) {
    const open = (on: typeof tree) => sharedAgent.open({ ...ports, tree: on, clock, settings: sharedAgent.defaults })
    const lead = await open(tree)
    const other = await open(await another())
    const { session } = await lead.start('demo')
    const speak = async (sessions: typeof lead, agent: string, line: string) => {
      const { answer } = await sessions.say(line, { session, agent })
      step(`session say --as ${agent} '${line}'`, answer.split('\n').join(' / '))
      return answer
    }
    say('A session has a name and lies in the workspace. Whoever names it speaks in it, from any process.')
    const saved = await speak(lead, 'Orchestrator', '#STATE:save:branch:main:persistent')
    const loaded = await speak(other, 'DevAgent', '#STATE:load:branch')

    say('A lock is for one agent. Another one is told who has it, waits, and is served when it is free.')
    const locked = await speak(lead, 'DevAgent', '#LOCK:src/auth.js:600')
    const busy = await speak(other, 'TestAgent', '#LOCK:src/auth.js:60')
    const waiting = speak(other, 'TestAgent', '#WAIT:lock=src/auth.js:30')
    await speak(lead, 'DevAgent', '#UNLOCK:src/auth.js')
    const ready = await waiting

    say('Broadcasts wait for their readers, and each is read once.')
    await speak(other, 'TestAgent', '#SUBSCRIBE:test_results')
    const sent = await speak(lead, 'DevAgent', '#BROADCAST:test_results:all green')
    const [mail] = await other.inbox('TestAgent', { session })
    step('session inbox --as TestAgent', `${mail?.from}: ${mail?.text}`)

    say('Tasks are recorded, and reports are told from what is recorded.')
    await speak(lead, 'Orchestrator', '#DELEGATE:DevAgent:implement_auth:P1')
    await speak(other, 'DevAgent', '#DONE:implement_auth:tests pass, 95% coverage')
    const report = await speak(lead, 'Orchestrator', '#REPORT:DevAgent:results:detailed')

    say('What a session knows can be written to a file, and taken up by another one.')
    const exported = await speak(lead, 'Orchestrator', '#CONTEXT:export:./context/demo.ctx:all')
    await show(treePath('context/demo.ctx'))
    say(
      'With git, a checkpoint keeps files and state as they are, and a rollback brings both back. HEAD stays where it is.',
    )
    const back: Record<string, string> = {}
    if (await makeRepository()) {
      const file = treePath('src/auth.js')
      await tree.create(file, bytesOf('export const attempts = 3\n'))
      back.kept = await speak(lead, 'Orchestrator', '#CHECKPOINT:create:manual:before_refactor')
      await changeLeaf(tree, file, () => bytesOf('export const attempts = Infinity // sorry\n'))
      await speak(other, 'DevAgent', '#STATE:save:branch:broken')
      back.changed = await speak(lead, 'Orchestrator', '#CHECKPOINT:diff:cp_001')
      const rolledBack = await speak(lead, 'Orchestrator', '#ROLLBACK:cp_001')
      back.rolledBack = rolledBack.split('\n').at(-1)!
      back.loadedAgain = await speak(other, 'DevAgent', '#STATE:load:branch')
      await show(file)
    } else say('There is no git here, so this part is left out.')
    const { outcome } = await lead.end(session)
    step(`session end ${session}`, outcome)
    const told = { saved, loaded, locked, busy, ready, sent, mail: mail?.text ?? '', report }
    return { ...told, exported: exported.split('\n')[0]!, ...back, ended: outcome }
  },
}
