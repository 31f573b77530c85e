/** Real etcd servers, ended when the tests of the file are done. */
import { afterAll } from 'vitest'
import { stopAllEtcd } from './etcd-servers.ts'

export { type EtcdCluster, type EtcdNode, startEtcd, withoutEtcd } from './etcd-servers.ts'

afterAll(stopAllEtcd)
