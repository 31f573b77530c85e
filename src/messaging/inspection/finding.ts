export { finding } from '../../tree/finding.ts'
