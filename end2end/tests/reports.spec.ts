import type { Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { type Demo, awake, expect, signIn, test } from './desk';
import { looks, soundAndNarrow } from './looks';

const lead = (page: Page, demo: Demo) => signIn(page, demo.url, demo.people.lead, 'demo-lead1');
/** The figure of a cell or of a list's head, `12,345`. */
const figure = (text: string | null) => Number(/[\d,]+/.exec(text ?? '')![0].replaceAll(',', ''));

looks('reports', (lang) => {
  test('axe finds nothing, and nothing is wider than the screen', async ({ page, demo }) => {
    test.slow();
    await lead(page, demo);
    await page.goto(`${demo.url}/reports`);
    const before = await page.locator('.months a[rel=prev]').getAttribute('href');
    for (const path of ['/reports', `${before}`, `${before}&basis=accepted`, '/reports?month=1999-01', '/reports?month=x']) {
      await page.goto(`${demo.url}${path}`);
      await awake(page);
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
      for (const details of await page.locator('main details').all()) await details.locator('summary').click();
      await soundAndNarrow(page);
    }
  });
});

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts });

    test('a figure opens as many rows as it says', async ({ page, demo }) => {
      test.slow();
      await lead(page, demo);
      for (const basis of ['decided', 'accepted']) {
        await page.goto(`${demo.url}/reports?basis=${basis}`);
        const before = await page.locator('.months a[rel=prev]').getAttribute('href');
        const read = async () => {
          await page.goto(`${demo.url}${before}`);
          return page.locator('table.month tbody tr:first-child td a, table.month tfoot td a').evaluateAll((all) =>
            all.map((a) => [a.getAttribute('href')!, a.textContent!] as const),
          );
        };
        const links = await read();
        expect(links.length).toBeGreaterThan(3);
        for (const [href, text] of links) {
          let said = text;
          // Early on the first of a month the demo still sends mails of the month before, so that figures change.
          await expect(async () => {
            await page.goto(`${demo.url}${href}`);
            // Beyond ten thousand a list says "or more".
            const count = figure(await page.locator('.head h1 + .note').textContent());
            const want = Math.min(figure(said), 10_000);
            if (count !== want) said = new Map(await read()).get(href) ?? '0';
            expect(count, href).toBe(want);
          }).toPass({ timeout: 20_000 });
        }
      }
    });

    test('a month is closed once, and says so', async ({ page, demo }) => {
      await lead(page, demo);
      // Each has a month of its own to close.
      const month = scripts ? '2020-01' : '2020-02';
      await page.goto(`${demo.url}/reports?month=${month}`);
      if (scripts) await awake(page);
      await page.locator('.close-month summary').click();
      await page.locator('.close-month textarea').fill('月次報告');
      await page.locator('.close-month button[type=submit]').click();
      await expect(page.locator('.say.closed')).toContainText('lead1 さんが締めました');
      await expect(page.locator('.told .say')).toContainText('を締めました');
      await expect(page.locator('.close-month')).toHaveCount(0);
      await page.reload();
      await expect(page.locator('.say.closed')).toContainText('月次報告');
    });
  });
}

test('the month and its basis stand in the address', async ({ page, demo }) => {
  await lead(page, demo);
  await page.getByRole('link', { name: '集計' }).click();
  await expect(page.locator('h1')).toContainText('の集計');
  await page.getByRole('link', { name: '受付日' }).click();
  await expect(page).toHaveURL(/basis=accepted/);
  await expect(page.locator('.basis p')).toContainText('受け付けられた日）で数えています');
  await page.locator('.months a[rel=prev]').click();
  await expect(page).toHaveURL(/basis=accepted/);
  await page.goBack();
  await page.locator('#month').fill('2026-03');
  await page.getByRole('button', { name: '表示する' }).click();
  await expect(page.locator('h1')).toHaveText('2026年3月の集計');
  await expect(page).toHaveURL(/month=2026-03/);
});

test('support reads, and closes no month', async ({ page, demo }) => {
  await signIn(page, demo.url, demo.people.support, 'demo-support1');
  await page.goto(`${demo.url}/reports?month=2020-03`);
  await awake(page);
  await expect(page.locator('h1')).toHaveText('2020年3月の集計');
  await expect(page.locator('.close-month')).toHaveCount(0);
});

test('a list is saved with the rows that the button says', async ({ page, demo }) => {
  await lead(page, demo);
  await page.goto(`${demo.url}/submissions?status=failed&status=rejected`);
  await awake(page);
  const button = page.getByRole('link', { name: /明細を CSV で保存/ });
  const rows = figure(await button.textContent());
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(download.suggestedFilename()).toMatch(/^伝票メール一覧_\d{8}-\d{4}\.csv$/);
  const text = readFileSync(await download.path(), 'utf8');
  expect(text.startsWith('\ufeffID,ref,注文,')).toBe(true);
  const ids = text.match(/^\d+,[0-9a-f-]{36},/gm) ?? [];
  expect(ids.length).toBe(rows);
});

test('a list is saved as a workbook, a zip archive that begins with its parts', async ({ page, demo }) => {
  await lead(page, demo);
  await page.goto(`${demo.url}/submissions?status=rejected`);
  await awake(page);
  const button = page.getByRole('link', { name: /明細を XLSX で保存/ });
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  expect(download.suggestedFilename()).toMatch(/^伝票メール一覧_\d{8}-\d{4}\.xlsx$/);
  const bytes = readFileSync(await download.path());
  expect(bytes.subarray(0, 4).toString('latin1')).toBe('PK\x03\x04');
  expect(bytes.includes('xl/worksheets/sheet1.xml')).toBe(true);
});

for (const scripts of [true, false]) {
  test.describe(scripts ? 'sends, with scripts' : 'sends, without scripts', () => {
    test.use({ javaScriptEnabled: scripts });

    test('the tries add up to the table, and a kind narrows the plot', async ({ page, demo }) => {
      await lead(page, demo);
      await page.goto(`${demo.url}/reports`);
      const before = await page.locator('.months a[rel=prev]').getAttribute('href');
      const chart = page.locator('section.chart', { has: page.locator('#tries') });
      let name = '';
      // Again where the demo, early on the first of a month, sends a mail of the month before in between.
      await expect(async () => {
        await page.goto(`${demo.url}${before}`);
        const total = figure(await page.locator('table.month tfoot .total').textContent());
        expect(figure(await page.locator('table.tries tfoot .total').textContent())).toBe(total);
        const link = page.locator('table.tries tbody a').first();
        name = (await link.textContent())!;
        const line = link.locator('xpath=ancestor::tr');
        const cells = await line.locator('td.n').allTextContents();
        await page.goto(`${demo.url}${await link.getAttribute('href')}`);
        if (scripts) await awake(page);
        await expect(chart.locator('.note')).toContainText(name);
        // Without those never tried and the line's own sum.
        const sums = (await chart.locator('tr.sum td').allTextContents()).map(figure);
        expect(sums).toEqual(cells.slice(1, 6).map(figure));
      }).toPass({ timeout: 20_000 });
      await expect(page.locator('table.tries a[aria-current]')).toHaveText(name);
      await chart.getByRole('link', { name: 'すべてを表示' }).click();
      await expect(chart.locator('.note')).toHaveCount(0);
    });
  });
}

test('hours, delays and settings each have their table', async ({ page, demo }) => {
  await lead(page, demo);
  await page.goto(`${demo.url}/reports`);
  // The sample's doubts are hours old: early on the first of a month they lie in the month before.
  if ((await page.locator('table.on-unknown').count()) === 0) {
    await page.goto(`${demo.url}${await page.locator('.months a[rel=prev]').getAttribute('href')}`);
  }
  await awake(page);
  const hours = page.locator('section.chart', { has: page.locator('#hours') });
  await hours.locator('summary').click();
  await expect(hours.locator('tbody tr')).toHaveCount(24);
  await expect(hours.locator('svg rect.f-accepted').first()).toBeAttached();
  const delays = page.locator('section.chart', { has: page.locator('#delays') });
  await expect(delays.locator('tfoot th')).toHaveText('すべての種類');
  const settings = page.locator('section.chart', { has: page.locator('#unknowns') });
  await expect(settings.locator('tbody tr')).toHaveCount(3);
  await expect(settings.locator('tbody tr', { hasText: 'いまの設定' })).toContainText('hold');
});

test('accepted a day: a bar a day, and the numbers in a table', async ({ page, demo }) => {
  await lead(page, demo);
  const chart = page.locator('section.chart', { has: page.locator('#days') });
  await chart.locator('summary').click();
  await expect(chart.locator('tbody tr')).toHaveCount(30);
  const link = chart.locator('tbody a').nth(1);
  const [said, href] = [figure(await link.textContent()), await link.getAttribute('href')];
  await page.goto(`${demo.url}${href}`);
  expect(figure(await page.locator('.head h1 + .note').textContent())).toBe(said);
});
