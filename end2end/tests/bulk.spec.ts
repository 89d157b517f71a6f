import { awake, expect, signIn, test } from './desk';

test('a filtered list is looked through, and resent with a reason', async ({ page, desk }) => {
  const ids: number[] = [];
  for (const n of [1, 2, 3]) ids.push(await desk.refused(`bulk-${n}`, { kind: 'bulk-kind' }));
  await desk.until(await desk.post({ order_id: 'bulk-4', kind: 'bulk-kind' }), 'sent', (mail) => mail.status === 'synced');
  await signIn(page, desk.url, 'lead1');
  await page.goto(`${desk.url}/submissions?kind=bulk-kind`);
  await awake(page);
  await page.getByRole('link', { name: 'まとめて再送', exact: true }).click();
  await page.getByRole('button', { name: '対象を確かめる' }).click();
  await expect(page).toHaveURL(/\/bulk\/\d+$/);
  await expect(page.getByRole('heading', { name: '4件のうち3件を再送できます' })).toBeVisible();
  await expect(page.locator('main')).toContainText('送信済み：1件');

  // What is refused later was not seen.
  const late = await desk.refused('bulk-5', { kind: 'bulk-kind' });
  await page.getByText('3件を再送する', { exact: true }).click();
  await page.locator('textarea').fill('復旧したため');
  await page.getByRole('button', { name: '3件の再送を始める' }).click();
  await expect(page.locator('main')).toContainText('再送を始めました');
  await expect(page.locator('main')).toContainText('完了');
  await expect(page.locator('progress')).toHaveAttribute('value', '3');
  for (const id of ids) {
    const mail = await desk.until(id, 'sent', (mail) => mail.status === 'synced');
    expect(mail.attempts).toBe(2);
  }
  expect((await desk.mail(late)).status).toBe('rejected');
  await page.goto(`${desk.url}/submissions/${ids[0]}`);
  await expect(page.locator('.line')).toContainText('復旧したため');
});

test('it can be stopped', async ({ page, desk }) => {
  for (let n = 0; n < 30; n++) await desk.refused(`bulk-stop-${n}`, { kind: 'bulk-stop' });
  await signIn(page, desk.url, 'lead1');
  await page.goto(`${desk.url}/bulk/new?kind=bulk-stop`);
  await awake(page);
  await page.getByRole('button', { name: '対象を確かめる' }).click();
  await page.getByText('30件を再送する', { exact: true }).click();
  await page.locator('textarea').fill('試し');
  await page.getByRole('button', { name: '30件の再送を始める' }).click();
  await page.getByRole('button', { name: '再送を中止する' }).click();
  await expect(page.locator('main > .head')).toContainText('中止');
  await expect(page.locator('main')).toContainText('中止したため、再送していません');
  await expect(page.locator('#bulk-counts')).toContainText('中止したため、残り');
  await expect(page.getByRole('link', { name: '残りの再送を準備する' })).toHaveAttribute('href', /\/bulk\/new\?kind=bulk-stop$/);
});

test('a support agent is shown no such thing', async ({ page, desk }) => {
  await desk.refused('bulk-support', { kind: 'bulk-support' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions?kind=bulk-support`);
  await expect(page.getByRole('link', { name: 'まとめて再送' })).toHaveCount(0);
  const answer = await page.request.get(`${desk.url}/bulk`);
  expect(answer.status()).toBe(403);
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('many are resent all the same', async ({ page, desk }) => {
    const id = await desk.refused('bulk-plain', { kind: 'bulk-plain' });
    await signIn(page, desk.url, 'lead1');
    await page.goto(`${desk.url}/bulk/new?kind=bulk-plain`);
    await page.getByRole('button', { name: '対象を確かめる' }).click();
    await page.locator('summary', { hasText: '1件を再送する' }).click();
    await page.locator('textarea').fill('復旧したため');
    await page.getByRole('button', { name: '1件の再送を始める' }).click();
    await expect(page.locator('main')).toContainText('再送を始めました');
    await desk.until(id, 'sent', (mail) => mail.status === 'synced');
    await expect(async () => {
      await page.reload();
      await expect(page.locator('main > .head')).toContainText('完了', { timeout: 500 });
    }).toPass();
  });
});
