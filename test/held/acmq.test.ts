/** AC-MQ on files, with one process held before every step while another goes on. */
import { describeHeldOnFiles } from './on-files.ts'

describeHeldOnFiles('AC-MQ', 'acmq')
