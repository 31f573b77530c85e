import type { Clock } from '../../kernel/clock.ts'
import { treePath } from '../../kernel/tree-path.ts'
import type { Tree } from '../../tree/tree.ts'
import { bytesOf, type Chapter } from '../chapter.ts'
import { acmq } from './index.ts'
import type { Claimed } from './store/outcomes.ts'

const name = 'login'
const folder = treePath(`${acmq.defaults.root}/${name}`)
const hour = 60 * 60 * 1000

export const mission: Chapter = {
  name: 'mission',
  title: 'A mission: two agents, one queue',
  async play({ tree, another, clock, say, step, show }) {
    say('A mission is a folder with a goal, a queue in four folders, and room for what comes out.')
    const made = await (await missionsOn(tree, clock)).create(name, { objective: 'Design the login.' })
    step(`acmq create-mission ${name}`, `${made.outcome}: ${folder}`)

    say('Claude sends two tasks. The second depends on the first, so nobody gets it yet.')
    const claude = made.mission
    const tables = { from: 'claude', to: 'all', body: 'Design the tables.\n', timeoutSeconds: 60 }
    const schema = await claude.sending.send(tables)
    const after = [`msg:${schema.message.id}`]
    const queries = { from: 'claude', to: 'gemini', body: 'Write the queries.\n', dependencies: after }
    const code = await claude.sending.send(queries)
    step(`acmq send ${name} --to all`, schema.outcome)
    step(`acmq send ${name} --to gemini --depends ${short(after[0]!)}`, code.outcome)
    await show(treePath(code.message.path))

    say('Gemini and Codex, each with an engine of its own, claim at the same moment. One of them gets the first task.')
    const gemini = await (await missionsOn(await another(), clock)).open(name)
    const codex = await (await missionsOn(await another(), clock)).open(name)
    const both = await Promise.all([gemini.claims.next({ agent: 'gemini' }), codex.claims.next({ agent: 'codex' })])
    for (const [n, claimed] of both.entries()) step(`acmq claim ${name} --as ${['gemini', 'codex'][n]}`, told(claimed))
    const first = messageOf(both.find(({ outcome }) => outcome === 'claimed'))
    const winner = first.to === 'gemini' ? gemini : codex

    say('The winner writes a file and completes the task with a result and a link. Now the second one is free.')
    await tree.create(treePath(`${folder}/artifacts/tables.sql`), bytesOf('create table users (id integer);\n'))
    const result = { text: 'One table will do.', links: ['artifacts/tables.sql'] }
    const done = await winner.settling.complete(first, { agent: first.to, attempt: 1 }, result)
    step(`acmq complete ${name} ${short(first.id)} --link artifacts/tables.sql`, done.outcome)
    await show(treePath(done.message.path))

    say('Gemini takes the second task, fails, and it is tried again: the report stays in it.')
    const second = messageOf(await gemini.claims.next({ agent: 'gemini' }))
    const failure = { reason: 'The database is down' }
    const failed = await gemini.settling.fail(second, { agent: 'gemini', attempt: 1 }, failure)
    step(`acmq fail ${name} ${short(second.id)} --reason "The database is down"`, failed.outcome)
    const retried = await claude.settling.retry(second.id)
    step(`acmq retry ${name} ${short(second.id)}`, `${retried.outcome}, attempt ${retried.message.attempt}`)

    say('Gemini claims it again and falls silent. To save you the wait, a day goes by for the supervisor.')
    const again = messageOf(await gemini.claims.next({ agent: 'gemini' }))
    const later: Clock = { now: () => clock.now() + 24 * hour }
    const supervisor = await (await missionsOn(await another(later), later)).open(name)
    const swept = await (await supervisor.upkeep()).supervise()
    step(
      `acmq supervise ${name} --once`,
      `${swept.outcome}: ${swept.stalled.length} stalled, its sender asked to look into it`,
    )
    const late = await wasRefused(gemini.settling.complete(again, { agent: 'gemini', attempt: again.attempt }))
    step(`acmq complete ${name} ${short(again.id)} --as gemini`, late ? 'too late: the claim is lost' : 'completed')
    const question = messageOf(await claude.claims.next({ agent: 'claude' }))
    await show(treePath(question.path))

    say('Whoever joins gets everything worth knowing as one document.')
    const { included, tokens } = await (await claude.documents()).hydrate({ id: question.id })
    step(`acmq hydrate ${name} ${question.id}`, `${included.length} files, about ${tokens} tokens`)
    say('Nothing that was said is lost: the mission can be searched, digested into a document, and reported on.')
    const { hits } = await (await claude.memory()).search('database tables')
    step(
      `acmq search ${name} "database tables"`,
      `${hits.length} found, the best: ${hits[0]?.message.summary ?? 'none'}`,
    )
    const { documents } = await (await claude.memory()).bus({ query: 'database tables' })
    step(`acmq bus ${name} --query "database tables"`, documents.map(({ path }) => path).join(', ') || 'nothing')
    const report = await (await claude.memory()).report({ mode: 'top-down' })
    step(`acmq report ${name} --mode top-down`, `about ${report.tokens} tokens`)
    const { counts } = await (await claude.overview()).status()
    return {
      created: made.outcome,
      claims: both.filter(({ outcome }) => outcome === 'claimed').length,
      completed: done.outcome,
      failed: failed.outcome,
      attempt: retried.message.attempt,
      stalled: swept.stalled.length,
      late,
      asked: question.from,
      hydrated: included.length,
      found: hits.length,
      digested: documents.length,
      inCompleted: counts.completed,
      inFailed: counts.failed,
    }
  },
}

const missionsOn = (tree: Tree, clock: Clock) => acmq.open({ tree, clock, settings: acmq.defaults })

const short = (id: string): string => id.replace(/^((?:msg:)?[^-]{8}).*/, '$1')

function told(claimed: Claimed): string {
  if (claimed.outcome === 'claimed') return `claimed ${short(claimed.message.id)}`
  const [blocked] = claimed.blocked
  return blocked ? `nothing: ${short(blocked.id)} ${blocked.reason}` : 'nothing'
}

function messageOf(claimed: Claimed | undefined) {
  if (claimed?.outcome === 'claimed') return claimed.message
  throw new Error(`The tour expected a message: ${JSON.stringify(claimed)}`)
}

async function wasRefused(settling: Promise<unknown>): Promise<boolean> {
  try {
    await settling
    return false
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'LOST_CLAIM') return true
    throw error
  }
}
