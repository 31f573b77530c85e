/** The child that `support.test.ts` talks to: does what its first argument says. */
const [what, ...rest] = process.argv.slice(2)
if (what === 'tell') {
  console.log(JSON.stringify({ rest, set: process.env.SET, unset: process.env.UNSET, cwd: process.cwd() }))
  console.error('and on standard error')
} else if (what === 'wait') {
  console.log('ready')
  setInterval(() => {}, 1000)
} else if (what === 'echo') {
  for await (const text of process.stdin) process.stdout.write(text)
} else {
  for (let line = 1; line <= 1000; line++) console.log(`line ${line}`)
  process.exitCode = 3
}

export {}
