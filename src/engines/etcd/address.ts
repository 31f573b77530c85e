/** `etcd://host:port[,host:port…]/tenant`: which cluster, and which part of it. */
import { invalidInput } from '../../kernel/errors.ts'

export interface Host {
  readonly host: string
  readonly port: number
}

export interface EtcdAddress {
  readonly hosts: readonly [Host, ...Host[]]
  /** Each tenant is a tree of its own and sees nothing of the others. */
  readonly tenant: string
}

const defaultPort = 2379
const tenantName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
/** A name, an IPv4 address, or an IPv6 address in brackets; then perhaps a port. */
const hostAndPort = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?::(\d{1,5}))?$/

export function parseAddress(text: string): EtcdAddress {
  // Before anything else, so that no error below can repeat a password.
  if (/^etcd:\/\/[^/]*@/.test(text)) {
    throw invalidInput('SECRET_IN_ADDRESS', 'The address of the engine names a user or a password.', {
      hint: 'Leave it out: every process list shows it. Write `user` and `passwordFile` into your own settings, or set SIGNALBOX_ETCD_USER and SIGNALBOX_ETCD_PASSWORD_FILE.',
    })
  }
  const parts = /^etcd:\/\/([^/]+)\/([^/]+)\/?$/.exec(text)
  const [, hosts = '', tenant = ''] = parts ?? []
  if (!parts || !tenantName.test(tenant)) throw badAddress(text, 'it needs one or more hosts and the name of a tenant')
  const [first, ...others] = hosts.split(',').map((host) => parseHost(host, text))
  return { hosts: [first!, ...others], tenant }
}

/** As people write it. It contains no secrets. */
export const printAddress = ({ hosts, tenant }: EtcdAddress): string =>
  `etcd://${hosts.map(printHost).join(',')}/${tenant}`

export const printHost = ({ host, port }: Host): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

function parseHost(text: string, address: string): Host {
  const [, host = '', port = `${defaultPort}`] = hostAndPort.exec(text) ?? []
  if (host === '' || Number(port) < 1 || Number(port) > 65_535) {
    throw badAddress(address, `${JSON.stringify(text)} is not a host and a port`)
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

const badAddress = (text: string, why: string) =>
  invalidInput(
    'BAD_ENGINE_ADDRESS',
    `Not the address of an etcd cluster: ${JSON.stringify(text.slice(0, 200))}: ${why}.`,
    {
      hint: 'Write it as etcd://HOST:PORT,HOST:PORT/TENANT, such as etcd://localhost:2379/team.',
    },
  )
