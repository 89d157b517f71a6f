import { awake, complaints, expect, person, signIn, test } from './desk';

test('an accepted mail says so, and no more', async ({ page, desk }) => {
  const id = await desk.post({ order_id: 'mail-ok', body_html: '<p>お届け予定</p><script>alert(1)</script><img src="https://example.com/x.png">' });
  await desk.until(id, 'accepted', (mail) => mail.status === 'synced');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  await expect(page.locator('.verdict h2')).toContainText('送信サービスが受け付けています');
  await expect(page.getByRole('button', { name: '再送する' })).toHaveCount(0);
  const frame = page.frameLocator('iframe');
  await expect(frame.locator('p')).toHaveText('お届け予定');
  await expect(frame.locator('script')).toHaveCount(0);
  await expect(frame.locator('img[src]')).toHaveCount(0);
});

test('a refused mail is sent again with one click, and the page follows', async ({ page, desk }) => {
  const id = await desk.refused('mail-again');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  await awake(page);
  await page.getByRole('button', { name: '再送する' }).click();
  await expect(page.getByRole('status').filter({ hasText: '2回目' })).toBeVisible();
  await desk.until(id, 'accepted', (mail) => mail.status === 'synced');
  expect(await desk.accepted('mail-again')).toBe(1);
  await page.reload();
  await expect(page.locator('.verdict h2')).toContainText('受け付けています');
  await expect(page.getByText('2回目の送信です')).toHaveCount(0);
});

test('two people press at once: one mail, and the other learns who and when', async ({ browser, desk }) => {
  const id = await desk.refused('mail-two');
  const pages = [await person(browser, desk, 'support1'), await person(browser, desk, 'lead1')];
  const heard = pages.map(complaints);
  for (const page of pages) {
    await page.goto(`${desk.url}/submissions/${id}`);
    await awake(page);
  }
  await Promise.all(pages.map((page) => page.getByRole('button', { name: '再送する' }).click()));
  const told = pages.map((page) => page.locator('main').locator('[role=status], [role=alert]').filter({ hasText: 'mail-two' }));
  const texts = await Promise.all(told.map((notice) => notice.first().innerText()));
  const refusals = texts.filter((text) => /(support1|lead1)/.test(text));
  expect(refusals, texts.join('\n')).toHaveLength(1);
  expect(refusals[0]).toMatch(/\d\d:\d\d:\d\d/);
  const mail = await desk.until(id, 'accepted', (m) => m.status === 'synced');
  expect(mail.attempts).toBe(2);
  expect(await desk.accepted('mail-two')).toBe(1);
  expect(heard.flat()).toEqual([]);
  for (const page of pages) await page.context().close();
});

test('a double click is one attempt', async ({ page, desk }) => {
  const id = await desk.refused('mail-double');
  await desk.faults({ latency_ms: 500 });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  await awake(page);
  await page.getByRole('button', { name: '再送する' }).dblclick();
  const mail = await desk.until(id, 'accepted', (m) => m.status === 'synced');
  await desk.faults({});
  expect(mail.attempts).toBe(2);
  expect(await desk.accepted('mail-double')).toBe(1);
});

test('while nobody knows, there is no resend, and the page says why', async ({ page, desk }) => {
  const id = await desk.unanswered('mail-unknown');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  await expect(page.locator('.verdict h2')).toHaveText('送られたかどうか、わかりません。');
  await expect(page.getByRole('button', { name: '再送する' })).toHaveCount(0);
  await expect(page.locator('.verdict a[href^="/stuck"]')).toBeVisible();
});
