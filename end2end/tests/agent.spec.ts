import { Desk, awake, complaints, expect, person, signIn, test } from './desk';
import { sound } from './looks';

const said = (page: import('@playwright/test').Page) => page.locator('.told');

test('a refused address is corrected: trimmed, shown, pointed at, and used', async ({ page, desk }) => {
  const id = await desk.refused('agent-correct', { recipient: 'wrong@example.com' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  await awake(page);
  await page.getByText('宛先を直して送る', { exact: true }).click();
  const form = page.locator('details.act[open]');
  const field = form.getByLabel('正しい宛先');
  await expect(field).toHaveValue('wrong@example.com');
  await field.fill('tan\u200baka@example.jp');
  await expect(form.locator('.error')).toContainText('4文字目');
  await expect(form.locator('mark')).toHaveText('U+200B');
  await field.fill(' ｔanaka＠example.jp、');
  await expect(form.getByText('この宛先に送ります：tanaka@example.jp')).toBeVisible();
  await form.locator('textarea').fill('お電話で正しい宛先をうかがいました。');
  await form.getByRole('button', { name: 'この宛先に送る' }).click();
  const mail = await desk.until(id, 'accepted', (m) => m.status === 'synced');
  expect([mail.recipient, mail.attempt_log[1].recipient]).toEqual(['tanaka@example.jp', 'tanaka@example.jp']);
  await expect(said(page)).toContainText('2回目');
  await expect(page.locator('.line')).toContainText('support1 さんが宛先を直して送りました');
  await expect(page.locator('.line')).toContainText('お電話で正しい宛先をうかがいました。');
});

test('a further copy is made once by a double click, and each mail leads to the other', async ({ page, desk }) => {
  const id = await desk.post({ order_id: 'agent-copy', recipient: 'first@example.com' });
  await desk.until(id, 'accepted', (m) => m.status === 'synced');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}?lang=en`);
  await awake(page);
  await page.getByText('Send a further copy', { exact: true }).click();
  const form = page.locator('details.act[open]');
  await form.getByLabel('Recipient').fill('second@example.com');
  await form.locator('textarea').fill('Asked for on the phone.');
  await form.getByRole('button', { name: 'Send copy 1' }).dblclick();
  await expect(said(page)).toContainText('copy 1 will be sent');
  await expect.poll(() => desk.accepted('agent-copy')).toBe(2);
  // The form is closed and empty again, and counts what there is: one more press makes nothing.
  await expect(form).toHaveCount(0);
  await page.getByText('Send a further copy', { exact: true }).click();
  await expect(form).toContainText('the same mail 3 times');
  await expect(form.locator('textarea')).toHaveValue('');
  await expect(form.getByLabel('Recipient')).toHaveValue('');
  // What they did themselves is no news to them.
  await page.locator('.asof.on').waitFor();
  await expect(page.locator('.waits .say')).toHaveCount(0);
  await said(page).getByRole('link', { name: 'Copy 1' }).click();
  await expect(page.locator('.ident .facts')).toContainText('second@example.com');
  await expect(page.locator('.line')).toContainText('support1 asked for this further copy');
  await page.getByRole('link', { name: 'See the original' }).click();
  await expect(page).toHaveURL(`${desk.url}/submissions/${id}`);
  await expect(page.locator('.line')).toContainText('Asked for on the phone.');
  await expect(page.locator('.side')).toContainText('second@example.com');
  expect(await desk.accepted('agent-copy')).toBe(2);
});

test('two people call off and correct at once: one act, and the other learns who and when', async ({ browser, desk }) => {
  const id = await desk.refused('agent-two');
  const pages = [await person(browser, desk, 'support1'), await person(browser, desk, 'lead1')] as const;
  const heard = pages.map(complaints);
  for (const page of pages) {
    await page.goto(`${desk.url}/submissions/${id}`);
    await awake(page);
  }
  const fill = async (page: (typeof pages)[number], open: string) => {
    await page.getByText(open, { exact: true }).click();
    const form = page.locator('details.act[open]');
    await form.locator('textarea').fill('お客様のご依頼です。');
    return form.getByRole('button');
  };
  const buttons = [await fill(pages[0], '送信を取りやめる'), await fill(pages[1], '宛先を直して送る')];
  await Promise.all(buttons.map((button) => button.click()));
  const mail = await desk.until(id, 'decided', (m) => ['canceled', 'synced'].includes(m.status));
  const loser = mail.status === 'canceled' ? pages[1] : pages[0];
  const winner = mail.status === 'canceled' ? 'support1' : 'lead1';
  await expect(said(loser)).toContainText(winner);
  await expect(said(loser)).toContainText(/\d\d:\d\d:\d\d に/);
  await expect(loser.locator('.line')).toContainText('お客様のご依頼です。');
  expect(await desk.accepted('agent-two')).toBe(mail.status === 'canceled' ? 0 : 1);
  expect(heard.flat()).toEqual([]);
  for (const page of pages) await page.context().close();
});

test('the answer that would come too early says until when to wait', async ({ page, desk }) => {
  await desk.unanswered('agent-early');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/stuck`);
  await awake(page);
  const item = page.locator('article.case').filter({ hasText: 'agent-early' });
  await item.getByText('送信されていなかった', { exact: true }).click();
  await expect(item.locator('.early:visible')).toContainText('まで待ってください');
  await item.getByText('送信されていた', { exact: true }).click();
  await expect(item.locator('.early:visible')).toHaveCount(0);
});

test('the reply says what is known in both languages, and is copied', async ({ page, desk, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // Characters outside the old standards, and ones that belong together.
  const order = 'agent-reply-①㈱髙﨑𠮷〜～－ｶﾞ👨‍👩‍👧邉󠄂';
  const id = await desk.post({ order_id: order });
  await desk.until(id, 'accepted', (m) => m.status === 'synced');
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions/${id}`);
  await awake(page);
  await expect(page.locator('.reply [lang=ja]')).toContainText('メール配信サービスへの受け渡しが完了しております');
  await expect(page.locator('.reply [lang=en]')).toContainText('has not been confirmed yet');
  await page.getByRole('button', { name: '英語の返信文をコピー' }).click();
  await expect(page.getByRole('button', { name: '英語の返信文をコピー' })).toHaveText('コピーしました');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await page.locator('.reply [lang=en]').innerText());
  expect(copied).toContain(order);
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('an address is trimmed, shown, and sent at the second press', async ({ page, desk }) => {
    const id = await desk.refused('agent-plain');
    await signIn(page, desk.url, 'support1');
    await page.goto(`${desk.url}/submissions/${id}`);
    await page.getByText('宛先を直して送る', { exact: true }).click();
    const form = page.locator('details.act[open]');
    // What comes back is text, whatever was written.
    const reason = 'お電話で</textarea><b id="broken">うかがいました。&amp;';
    const send = async (address: string) => {
      await form.getByLabel('正しい宛先').fill(address);
      await form.locator('textarea').fill(reason);
      await form.getByRole('button', { name: 'この宛先に送る' }).click();
    };
    await send('a b@example.com');
    await expect(form.locator('.error')).toContainText('2文字目');
    await send('　plain@example.com、');
    await expect(said(page)).toContainText('まだ送っていません');
    await expect(form.getByLabel('正しい宛先')).toHaveValue('plain@example.com');
    await expect(form.locator('textarea')).toHaveValue(reason);
    await expect(page.locator('#broken')).toHaveCount(0);
    expect((await desk.mail(id)).attempts).toBe(1);
    await form.getByRole('button', { name: 'この宛先に送る' }).click();
    const mail = await desk.until(id, 'accepted', (m) => m.status === 'synced');
    expect(mail.attempt_log[1].recipient).toBe('plain@example.com');
  });

  test('a mail is called off, and a further copy is made', async ({ page, desk }) => {
    const waiting = await desk.post({ order_id: 'agent-off', not_before: '2090-01-01T00:00:00Z' });
    await signIn(page, desk.url, 'support1');
    await page.goto(`${desk.url}/submissions/${waiting}`);
    await page.getByText('送信を取りやめる', { exact: true }).click();
    await page.locator('details.act[open]').locator('textarea').fill('ご注文の取り消しです。');
    await page.getByRole('button', { name: '取りやめる', exact: true }).click();
    await expect(said(page)).toContainText('取りやめました');
    expect((await desk.mail(waiting)).status).toBe('canceled');
    const id = await desk.post({ order_id: 'agent-plain-copy' });
    await desk.until(id, 'accepted', (m) => m.status === 'synced');
    await page.goto(`${desk.url}/submissions/${id}`);
    await page.getByText('控えをもう1通送る', { exact: true }).click();
    await page.locator('details.act[open]').locator('textarea').fill('再送のご依頼です。');
    await page.getByRole('button', { name: '控え1を送る' }).click();
    await expect(said(page)).toContainText('控え1の送信を受け付けました');
    await expect.poll(() => desk.accepted('agent-plain-copy')).toBe(2);
  });
});

for (const lang of ['ja', 'en']) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`open forms are sound at 360 px, ${lang}, ${colorScheme}`, async ({ browser, desk }) => {
      const refused = await desk.refused(`agent-axe-${lang}-${colorScheme}`, { recipient: 'customer@example.jp' });
      const page = await person(browser, desk, 'support1', { colorScheme, viewport: { width: 360, height: 780 } });
      const heard = complaints(page);
      const accepted = await desk.post({ order_id: `agent-axe2-${lang}-${colorScheme}` });
      await desk.until(accepted, 'accepted', (m) => m.status === 'synced');
      for (const id of [refused, accepted]) {
        await page.goto(`${desk.url}/submissions/${id}?lang=${lang}`);
        await awake(page);
        for (const summary of await page.locator('details.act > summary').all()) await summary.click();
        const address = page.locator('input[name=recipient]').first();
        await address.fill('a b@example.com');
        await expect(page.locator('mark')).toHaveText('␣');
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
        await sound(page);
      }
      expect(heard).toEqual([]);
      await page.context().close();
    });
  }
}

test('masked addresses never reach the browser until somebody asks, which is recorded', async ({ browser }) => {
  const desk = await Desk.start({ DENPYO_MASK_ADDRESSES: 'support' });
  try {
    const id = await desk.post({ order_id: 'agent-mask', recipient: 'tanaka.hanako@example.jp' });
    await desk.until(id, 'accepted', (m) => m.status === 'synced');
    const support = await person(browser, desk, 'support1');
    for (const path of ['/submissions', '/submissions?q=tanaka.hanako%40example.jp&kind=', `/submissions/${id}`]) {
      await support.goto(`${desk.url}${path}`);
      await awake(support);
      await expect(support.locator('main')).toContainText('ta•••@example.jp');
    }
    expect(await (await support.request.get(`${desk.url}/submissions/${id}`)).text()).not.toContain('tanaka.hanako');
    await support.getByText('宛先を表示する', { exact: true }).click();
    await support.locator('details.reveal textarea').fill('お電話での確認です。');
    await support.getByRole('button', { name: '表示する', exact: true }).click();
    await expect(support.locator('.ident .facts')).toContainText('tanaka.hanako@example.jp');
    await expect(support.locator('.line')).toContainText('support1 さんが宛先を表示しました');
    await expect(support.locator('.line')).toContainText('お電話での確認です。');
    const lead = await person(browser, desk, 'lead1');
    await lead.goto(`${desk.url}/submissions/${id}`);
    await expect(lead.locator('.ident .facts')).toContainText('tanaka.hanako@example.jp');
    for (const page of [support, lead]) await page.context().close();
  } finally {
    await desk.stop();
  }
});
