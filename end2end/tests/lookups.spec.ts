import { Desk, awake, expect, signIn, test } from './desk';

test('asked afterwards, the service has it: the line that nobody could see ends there', async ({ page, desk }) => {
  await desk.faults({ accept_then_hang: 1 });
  const id = await desk.post({ order_id: 'lookup-found' });
  const mail = await desk.until(id, 'found', (m) => m.status === 'synced');
  await desk.faults({});
  expect(mail.settled_by).toBe('lookup');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  await expect(page.locator('.verdict h2')).toContainText('送信サービスが受け付けています');
  await expect(page.locator('.verdict .why')).toContainText('照会して、1回目の受け付けを確認');
  const stop = page.locator('.line > li.seen');
  await expect(stop).toContainText('照会：1回目は受け付けられていました');
  await expect(stop).toContainText(mail.provider_message_id);
  await expect(stop).toContainText('送信済み');
  expect(await desk.accepted('lookup-found')).toBe(1);
});

test('not found yet proves nothing: the desk says when it asks again', async ({ page, desk }) => {
  const id = await desk.unanswered('lookup-not-yet');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  const again = /\d\d:\d\d:\d\d に SendGrid へもう一度照会します。これまで1回照会し、まだ見つかっていません。/;
  await expect(page.locator('.verdict .plan')).toContainText(again);
  await expect(page.locator('.verdict .why')).toContainText('照会しましたが、まだ見つかりません');
  const stop = page.locator('.line > li.blind').filter({ hasText: '照会：まだ見つかりません' });
  await expect(stop).toContainText('あとから現れることがあります');
  await page.goto(`${desk.url}/stuck`);
  const item = page.locator('article.case').filter({ hasText: 'lookup-not-yet' });
  await expect(item).toContainText(again);
  await page.goto(`${desk.url}/stuck?lang=en`);
  await expect(item).toContainText(/It asks SendGrid again at \d\d:\d\d:\d\d\. Asked once; not found yet\./);
  await page.goto(`${desk.url}/submissions/${id}`);
  await expect(page.locator('.line')).toContainText('Looked up: not found yet');
});

test('not found after the horizon is a no: it goes out again by itself, once', async ({ page }) => {
  test.slow();
  const desk = await Desk.start({ DENPYO_LOOKUP_HORIZON: '1s' });
  try {
    await desk.faults({ hang_without_accept: 1 });
    const id = await desk.post({ order_id: 'lookup-no' });
    await desk.until(id, 'unknown', (m) => m.unknown_at !== null);
    await desk.faults({});
    const mail = await desk.until(id, 'sent again', (m) => m.status === 'synced');
    expect([mail.attempts, mail.observations.at(-1).kind]).toEqual([2, 'lookup_no']);
    expect(await desk.accepted('lookup-no')).toBe(1);
    await signIn(page, desk.url, 'support1');
    await page.goto(`${desk.url}/submissions/${id}`);
    await awake(page);
    const stop = page.locator('.line > li.seen').filter({ hasText: '照会：1回目は受け付けられていませんでした' });
    await expect(stop).toContainText('期限を過ぎても、送信サービスの記録にありません');
    await expect(stop).toContainText('時間をおいて2回照会しました');
    await expect(page.locator('.verdict h2')).toContainText('送信サービスが受け付けています');
  } finally {
    // A page that outlives its desk would complain that it cannot reach it.
    await page.close();
    await desk.stop();
  }
});
