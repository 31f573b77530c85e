/** `npm run prepare` in clones as npm finds them. npm itself is a script here that tells how it was called. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'

/** A clone in which nothing is installed, and an npm that writes down how it was called and then fails. */
function makeClone() {
  const folder = tempDir()
  const clone = join(folder, 'clone')
  for (const name of ['scripts', 'package.json', 'package-lock.json']) {
    cpSync(join(repository, name), join(clone, name), { recursive: true })
  }
  const called = join(folder, 'called')
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin/npm'), `#!/bin/sh\n{ echo "$@"; env; } > '${called}'\nexit 1\n`, { mode: 0o755 })
  return {
    clone,
    npm: () => (existsSync(called) ? readFileSync(called, 'utf8').split('\n') : undefined),
    prepare(env: Record<string, string> = {}) {
      const { NODE_ENV: _mode, npm_config_omit: _omit, ...inherited } = process.env
      const path = `${join(folder, 'bin')}:${process.env.PATH}`
      const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/prepare.mjs'], {
        cwd: clone,
        encoding: 'utf8',
        env: { ...inherited, PATH: path, ...env },
      })
      return { status, stdout, stderr }
    },
  }
}

/** As npm leaves it when it is told to leave the tools out. */
function installWithoutTools(clone: string): void {
  mkdirSync(join(clone, 'node_modules'))
  writeFileSync(join(clone, 'node_modules/.package-lock.json'), '{}')
}

describe('prepare', () => {
  it('is what npm calls', () => {
    const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
    expect(scripts.prepare).toBe('node scripts/prepare.mjs')
  })

  it('installs what a clone needs that is packed or linked, whatever the caller told npm for itself', () => {
    const { prepare, npm } = makeClone()
    const ofTheCaller = { npm_config_global: 'true', npm_config_dry_run: 'true', npm_config_omit: 'dev' }
    expect(prepare({ ...ofTheCaller, npm_config_registry: 'https://example.org/' })).toMatchObject({
      status: 1,
      stdout: '',
    })
    expect(npm()![0]).toMatch(/^ci --include=dev /)
    expect(npm()).toEqual(
      expect.arrayContaining(['SIGNALBOX_OWN_INSTALL=1', 'npm_config_registry=https://example.org/']),
    )
    expect(npm()!.filter((line) => /^npm_config_(global|dry_run|omit)=/.test(line))).toEqual([])
  })

  it('does nothing in an install that it started itself', () => {
    const { prepare, npm } = makeClone()
    expect(prepare({ SIGNALBOX_OWN_INSTALL: '1' })).toEqual({ status: 0, stdout: '', stderr: '' })
    expect(npm()).toBeUndefined()
  })

  it.each([{ npm_config_omit: 'dev' }, { NODE_ENV: 'production' }])(
    'does not break an install without tools: %j',
    (env) => {
      const { clone, prepare, npm } = makeClone()
      installWithoutTools(clone)
      const { status, stderr } = prepare(env)
      expect(status).toBe(0)
      expect(stderr).toContain('dist/ was not built in full')
      expect(npm()).toBeUndefined()
    },
  )

  it('never installs through a link, which would empty what it leads to', () => {
    const { clone, prepare, npm } = makeClone()
    mkdirSync(join(clone, '../shared'))
    symlinkSync('../shared', join(clone, 'node_modules'))
    expect(prepare()).toMatchObject({ status: 1, stderr: expect.stringContaining('node_modules is a link') })
    expect(npm()).toBeUndefined()
  })
})
