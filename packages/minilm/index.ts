export { Encoder } from './encoder.ts'
