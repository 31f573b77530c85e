/** Neighbours that cannot take part are named, and nothing of them becomes a part of this package. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { cached, cacheFolder } from '../../bench/peers/cache.ts'
import { type Peer, peers } from '../../bench/peers/peers.ts'
import { getReady, type Means, noteOf } from '../../bench/peers/ready.ts'
import { findProgram } from '../../bench/peers/servers/program.ts'
import { startServer } from '../../bench/peers/servers/server.ts'
import { Unavailable } from '../../bench/peers/unavailable.ts'
import { tempDir } from '../support/temp.ts'

const repository = join(import.meta.dirname, '../..')
const environment = { ...process.env }

afterEach(() => {
  process.env.PATH = environment.PATH
  delete process.env.SIGNALBOX_BENCH_CACHE
})

describe('getting ready', () => {
  const [bull, bullAlways, plain, litter] = [
    { name: 'bull', kind: 'bullmq', packages: 'bullmq', server: 'redis everysec', isDurable: false },
    { name: 'bull again', kind: 'bullmq', packages: 'bullmq', server: 'redis everysec', isDurable: true },
    { name: 'plain', kind: 'plainjob', packages: 'plainjob', isDurable: false },
    { name: 'litter', kind: 'liteque', packages: 'liteque', isDurable: false },
  ] as const satisfies readonly Peer[]
  const server = { name: 'Redis 7', address: '/run/redis.sock', stop: async () => {} }
  const means: Means = {
    install: async (name) => `/cache/${name}`,
    serve: async () => server,
    folder: (name) => `/place/${name}`,
  }

  it('starts a server once for all that need it', async () => {
    let starts = 0
    const serve = async () => {
      starts++
      return server
    }
    const { ready, missing, servers } = await getReady([bull, bullAlways, plain], { ...means, serve })
    expect(ready.map(({ packages, place }) => [packages, place])).toEqual([
      ['/cache/bullmq', '/run/redis.sock'],
      ['/cache/bullmq', '/run/redis.sock'],
      ['/cache/plainjob', '/place/plainjob'],
    ])
    expect([starts, missing, servers]).toEqual([1, [], [server]])
  })

  it('names who cannot be installed or started, with the reason, and goes on with the rest', async () => {
    const { ready, missing, servers } = await getReady([bull, litter, plain], {
      ...means,
      serve: async () => {
        throw new Unavailable('it is not installed, and there is no apt-get')
      },
      install: async (name) => {
        if (name === 'liteque') throw new Unavailable('npm could not install it: no network\nand more')
        return `/cache/${name}`
      },
    })
    expect(ready.map(({ peer }) => peer.name)).toEqual(['plain'])
    expect(missing.map(noteOf)).toEqual([
      'Without bull: it is not installed, and there is no apt-get.',
      'Without litter: npm could not install it: no network.',
    ])
    expect(servers).toEqual([])
  })
})

describe('servers', () => {
  it('a program that is nowhere is unavailable, and leaves nothing in the cache', async () => {
    process.env.SIGNALBOX_BENCH_CACHE = tempDir()
    process.env.PATH = join(cacheFolder(), 'nowhere')
    const wanted = { name: 'no-such-server', debianPackage: 'no-such-package', folders: () => [] }
    await expect(findProgram(wanted)).rejects.toThrow(
      'it is not installed, and there is no apt-get to get no-such-package with',
    )
    expect(readdirSync(cacheFolder())).toEqual([])
  })

  it('one that ends at once says what it said', async () => {
    const started = startServer({
      name: 'sh',
      command: 'sh',
      args: ['-c', 'echo starting; echo no room left >&2; exit 3'],
      env: {},
      cwd: tempDir(),
      signal: 'SIGKILL',
      place: () => undefined,
    })
    await expect(started).rejects.toThrow('sh ended at once: no room left')
  })
})

describe('the cache', () => {
  it('keeps what was finished, and nothing that was not', async () => {
    process.env.SIGNALBOX_BENCH_CACHE = tempDir()
    const failing = cached('broken', () => {
      throw new Unavailable('no network')
    })
    await expect(failing).rejects.toThrow('no network')
    const make = (folder: string) => writeFileSync(join(folder, 'made'), '')
    const folder = await cached('whole', make)
    expect(readdirSync(cacheFolder())).toEqual(['whole'])
    expect(await cached('whole', () => mkdirSync(join(folder, 'again')))).toBe(folder)
    expect(readdirSync(folder)).toEqual(['made'])
  })

  it.each([
    [{ SIGNALBOX_BENCH_CACHE: '/a', XDG_CACHE_HOME: '/b' }, '/a'],
    [{ XDG_CACHE_HOME: '/b' }, '/b/signalbox-bench'],
  ])('%j', (variables, expected) => {
    expect(cacheFolder(variables)).toBe(expected)
  })
})

describe('packages', () => {
  const names = [...new Set(peers.flatMap(({ packages }) => packages ?? []))]
  const read = (path: string) => JSON.parse(readFileSync(join(repository, path), 'utf8'))

  it.each(names)('%s is pinned, with a lock file of its own', (name) => {
    const { dependencies } = read(`bench/peers/packages/${name}/package.json`)
    const { packages } = read(`bench/peers/packages/${name}/package-lock.json`)
    for (const [one, version] of Object.entries<string>(dependencies)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/)
      expect(packages[`node_modules/${one}`].version).toBe(version)
    }
  })

  it('none is a dependency of ours', () => {
    const { dependencies, optionalDependencies, devDependencies } = read('package.json')
    const all = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies })
    expect(names.filter((name) => all.includes(name))).toEqual([])
  })
})
