import type { Reporter, Suite } from '@playwright/test/reporter';

/** Ends the run with one plain line, easy to find at the end of a long log. */
export default class Summary implements Reporter {
  private suite?: Suite;

  onBegin(_config: unknown, suite: Suite) {
    this.suite = suite;
  }

  onEnd() {
    const outcomes = (this.suite?.allTests() ?? []).map((test) => test.outcome());
    const skipped = outcomes.filter((outcome) => outcome === 'skipped').length;
    const failed = outcomes.filter((outcome) => outcome === 'unexpected').length;
    const passed = outcomes.length - skipped - failed;
    const line = `${passed} passed, ${failed} failed`;
    console.log(skipped > 0 ? `${line}, ${skipped} skipped` : line);
  }
}
