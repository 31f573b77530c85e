/** Message Routing on files, with one process held before every step while another goes on. */
import { describeHeldOnFiles } from './on-files.ts'

describeHeldOnFiles('Message Routing', 'mr')
