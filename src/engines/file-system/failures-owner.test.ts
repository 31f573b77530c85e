import { expect, it } from 'vitest'
import { ownerOf } from './failures.ts'

const users = () => 'root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000::/home/ada:/bin/sh\n\nodd line\n'

it.each([
  [0, users, 'root'],
  [1000, users, 'ada'],
  [65534, users, 'user 65534'],
  [0, () => '', 'root'],
])('the owner %i is named', (uid, list, name) => {
  expect(ownerOf({ uid }, list)).toBe(name)
})
