import { describe, expect, it } from 'vitest'
import { parseAddress, printAddress } from './address.ts'

describe('an address', () => {
  it.each([
    ['etcd://localhost/team', [{ host: 'localhost', port: 2379 }], 'team', 'etcd://localhost:2379/team'],
    ['etcd://10.0.0.1:1/a-b.c/', [{ host: '10.0.0.1', port: 1 }], 'a-b.c', 'etcd://10.0.0.1:1/a-b.c'],
    [
      'etcd://e1:2379,e2:2380,[::1]:99/t',
      [
        { host: 'e1', port: 2379 },
        { host: 'e2', port: 2380 },
        { host: '::1', port: 99 },
      ],
      't',
      'etcd://e1:2379,e2:2380,[::1]:99/t',
    ],
  ])('%s', (text, hosts, tenant, printed) => {
    expect(parseAddress(text)).toEqual({ hosts, tenant })
    expect(printAddress(parseAddress(text))).toBe(printed)
  })

  it.each([
    'etcd://',
    'etcd://host',
    'etcd://host/',
    'etcd:///tenant',
    'etcd://host:0/t',
    'etcd://host:70000/t',
    'etcd://host/../t',
    'etcd://host/.t',
    'etcd://host,/t',
    'etcd://ho st/t',
    'etcd://host/t/more',
  ])('%s is none', (text) => {
    expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'BAD_ENGINE_ADDRESS' }))
  })

  it('refuses a password, and does not repeat it', () => {
    for (const text of ['etcd://ann:s3cret@host:1/t', 'etcd://host:1,ann:s3cret@host/t']) {
      expect(() => parseAddress(text)).toThrow(expect.objectContaining({ code: 'SECRET_IN_ADDRESS' }))
      expect(() => parseAddress(text)).not.toThrow(/s3cret|ann/)
    }
  })
})
