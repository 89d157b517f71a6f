import { awake, complaints, expect, person, signIn, test } from './desk';
import { looks, soundAndNarrow } from './looks';

for (const [answer, confirm, status] of [
  ['送信されていた', '送信済みと確定する', 'synced'],
  ['送信されていなかった', '未達と確定する', 'failed'],
] as const) {
  test(`a person answers 「${answer}」 with a reason`, async ({ page, desk }) => {
    const id = await desk.unanswered(`stuck-${status}`);
    await signIn(page, desk.url, 'support1');
    await page.goto(`${desk.url}/stuck`);
    await awake(page);
    const item = page.locator('article.case').filter({ hasText: `stuck-${status}` });
    await item.getByText(answer, { exact: true }).click();
    await item.locator('textarea:visible').fill('管理画面で確かめました。');
    await item.getByRole('button', { name: confirm }).click();
    await expect(page.locator('article.case').filter({ hasText: `stuck-${status}` })).toHaveCount(0);
    const mail = await desk.mail(id);
    expect([mail.status, mail.settled_by]).toEqual([status, 'person']);
    await page.goto(`${desk.url}/submissions/${id}`);
    await expect(page.locator('.line')).toContainText('管理画面で確かめました。');
  });
}

test('an answer without a reason is not taken', async ({ page, desk }) => {
  const id = await desk.unanswered('stuck-noreason');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/stuck`);
  await awake(page);
  const item = page.locator('article.case').filter({ hasText: 'stuck-noreason' });
  await item.getByText('送信されていた', { exact: true }).click();
  // Blanks would satisfy the browser alone.
  await item.locator('textarea:visible').fill('   ');
  await item.getByRole('button', { name: '送信済みと確定する' }).click();
  const said = await item.locator('textarea:visible').evaluate((area: HTMLTextAreaElement) => area.validationMessage);
  expect(said).toContain('理由を入れてください。');
  expect((await desk.mail(id)).status).toBe('requesting');
});

test('a reason stays where somebody was faster, and the mail is in doubt once more', async ({ browser, page, desk }) => {
  const why = 'お客様に、届いているとうかがいました。';
  const id = await desk.unanswered('stuck-faster');
  const other = await person(browser, desk, 'lead1');
  const heard = complaints(other);
  await signIn(page, desk.url, 'support1');
  const open = async (one: typeof page, answer: string) => {
    await one.goto(`${desk.url}/stuck`);
    await awake(one);
    const item = one.locator('article.case').filter({ hasText: 'stuck-faster' });
    await item.getByText(answer, { exact: true }).click();
    await item.locator('textarea:visible').fill(why);
    return item;
  };
  const mine = await open(page, '送信されていた');
  const theirs = await open(other, '送信されていなかった');
  await theirs.getByRole('button', { name: '未達と確定する' }).click();
  await expect(theirs).toHaveCount(0);
  await desk.faults({ accept_then_hang: 1, index_delay_ms: 3_600_000 });
  await desk.resend(id);
  const asked = (m: any) => m.observations.some((seen: any) => seen.attempt === 2);
  await desk.until(id, 'in doubt again, and asked about', (m) => m.status === 'requesting' && asked(m));
  await desk.faults({});
  await page.setViewportSize({ width: 1280, height: 240 });
  await mine.getByRole('button', { name: '送信済みと確定する' }).click();
  await expect(page.locator('.told')).toBeInViewport();
  // Told, and kept: but the form is closed, for it would speak of another attempt now.
  await expect(page.locator('.told .typed')).toContainText(why);
  await expect(mine.locator('textarea:visible')).toHaveCount(0);
  expect((await desk.mail(id)).status).toBe('requesting');
  await mine.getByText('送信されていた', { exact: true }).click();
  await expect(mine.locator('textarea:visible')).toHaveValue(why);
  await mine.getByRole('button', { name: '送信済みと確定する' }).click();
  await expect(mine).toHaveCount(0);
  expect((await desk.mail(id)).settled_by).toBe('person');
  expect(heard).toEqual([]);
  await other.context().close();
});

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts });

    test('a number of the overview opens its mails alone, and there is a way back to all', async ({ page, demo }) => {
      await signIn(page, demo.url, demo.people.support, 'demo-support1');
      if (scripts) await awake(page);
      const cells = page.locator('.board.need .w4 .cell');
      await expect(cells).toHaveCount(4);
      const numbers = (await cells.locator('b').allInnerTexts()).map(Number);
      const all = numbers.reduce((sum, number) => sum + number);
      await expect(page.locator('.rail .count')).toHaveText(String(all));
      await cells.nth(2).click();
      await expect(page).toHaveURL(`${demo.url}/stuck?age=1d`);
      await expect(page.locator('article.case')).toHaveCount(numbers[2]!);
      const ages = page.locator('nav.ages');
      await expect(ages.locator('[aria-current]')).toHaveText(`1時間〜1日 ${numbers[2]}`);
      await ages.getByRole('link', { name: '15分〜1時間' }).click();
      await expect(page).toHaveURL(`${demo.url}/stuck?age=1h`);
      await expect(page.locator('article.case')).toHaveCount(numbers[1]!);
      await ages.getByRole('link', { name: 'すべて' }).click();
      await expect(page).toHaveURL(`${demo.url}/stuck`);
      await expect(page.locator('article.case')).toHaveCount(all);
    });
  });
}

looks('what needs checking, by age', (lang) => {
  test('axe finds nothing, and nothing is wider than the screen', async ({ page, demo, desk }) => {
    await signIn(page, demo.url, demo.people.support, 'demo-support1');
    await page.goto(`${demo.url}/stuck?age=1d`);
    await awake(page);
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
    await expect(page.locator('nav.ages a')).toHaveCount(5);
    await soundAndNarrow(page);
    // None of this age, whatever others there may be.
    await signIn(page, desk.url, 'support1');
    await page.goto(`${desk.url}/stuck?age=older`);
    await awake(page);
    await expect(page.locator('.allclear')).toBeVisible();
    await soundAndNarrow(page);
  });
}, 'dark');
