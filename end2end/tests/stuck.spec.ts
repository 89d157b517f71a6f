import { awake, expect, signIn, test } from './desk';

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
  // Blanks satisfy the browser, not the desk.
  await item.locator('textarea:visible').fill('   ');
  await item.getByRole('button', { name: '送信済みと確定する' }).click();
  await expect(page.getByText('理由を入れてください。').first()).toBeVisible();
  expect((await desk.mail(id)).status).toBe('requesting');
});
