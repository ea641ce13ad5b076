/** Where all slow tests together may take longer than there is time, those that have not begun by PEEL_TESTS_UNTIL (seconds since 1970) are
 *  skipped. A test that has begun is never cut short. */
import { TestRunner } from 'vitest'

const until = Number(process.env.PEEL_TESTS_UNTIL)
const isTimeUp = () => until > 0 && Date.now() > 1000 * until

type Suite = Parameters<TestRunner['onBeforeRunSuite']>[0]
type Task = Parameters<TestRunner['onBeforeRunTask']>[0]

export default class DeadlineRunner extends TestRunner {
  /** Files are suites too; those that are skipped prepare nothing. */
  override async onBeforeRunSuite(suite: Suite): Promise<void> {
    if (isTimeUp()) suite.mode = 'skip'
    await super.onBeforeRunSuite(suite)
  }

  override async onBeforeRunTask(task: Task): Promise<void> {
    if (isTimeUp()) task.mode = 'skip'
    await super.onBeforeRunTask(task)
  }
}
