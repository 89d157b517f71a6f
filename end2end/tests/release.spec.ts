import type { Page } from '@playwright/test';
import { awake, complaints, expect, person, signIn, test } from './desk';
import { looks, soundAndNarrow } from './looks';

const WHY = 'お客様に、いま送ってよいとうかがいました。';

for (const scripts of [true, false]) {
  test.describe(scripts ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled: scripts });
    const tag = scripts ? 'js' : 'nojs';
    const ready = async (page: Page) => {
      if (scripts) await awake(page);
    };

    test('one held mail is let go with a reason', async ({ page, desk }) => {
      const id = await desk.held(`release-one-${tag}`);
      await signIn(page, desk.url, 'support1');
      await page.goto(`${desk.url}/submissions/${id}`);
      await ready(page);
      await expect(page.locator('.verdict h2')).toContainText('バックアップのあとに送信されていたかどうか');
      await expect(page.locator('.ident .facts')).toContainText('請求額の確認が終わるまで');
      await expect(page.locator('.ident .facts')).toContainText('管理者（denpyo hold）');
      await expect(page.locator('.line')).toContainText('理由：請求額の確認が終わるまで');
      const form = page.locator('.verdict details.release');
      await form.locator('summary').click();
      // Blanks satisfy the browser alone, not the desk.
      await form.locator('textarea').fill('   ');
      await form.getByRole('button', { name: '保留を解く' }).click();
      if (scripts) {
        const said = await form.locator('textarea').evaluate((area: HTMLTextAreaElement) => area.validationMessage);
        expect(said).toContain('理由を入れてください。');
      } else {
        // The form is open again, and says what it wants.
        await expect(form.locator('.error')).toContainText('理由を入れてください。');
        await expect(form.locator('textarea')).toBeVisible();
      }
      expect((await desk.mail(id)).held_reason).not.toBeNull();
      await form.locator('textarea').fill(WHY);
      await form.getByRole('button', { name: '保留を解く' }).click();
      await expect(page.locator('.told')).toContainText(`注文 release-one-${tag} の保留を解きました。`);
      await expect(page).toHaveURL(`${desk.url}/submissions/${id}`);
      await expect(form).toHaveCount(0);
      await expect(page.locator('.line')).toContainText('support1 さんが保留を解きました');
      await expect(page.locator('.line')).toContainText(WHY);
      const mail = await desk.mail(id);
      expect([mail.status, mail.held_reason]).toEqual(['pending', null]);
      await page.reload();
      await expect(page.locator('.told')).not.toContainText('保留を解きました');
    });

    test('the held mails of a list are let go together, as they were shown', async ({ page, desk }) => {
      const kind = `lot-${tag}`;
      const ids = [];
      for (const n of [1, 2, 3]) ids.push(await desk.held(`${kind}-${n}`, { kind }));
      await signIn(page, desk.url, 'lead1');
      await page.goto(`${desk.url}/submissions?needs=held&kind=${kind}`);
      await ready(page);
      const form = page.locator('details.lot');
      await form.locator('summary').click();
      await expect(form.locator('summary')).toHaveText('この一覧の保留3件を解く');
      await form.locator('textarea').fill(WHY);
      // Meanwhile there is one more.
      ids.push(await desk.held(`${kind}-4`, { kind }));
      await form.getByRole('button', { name: '3件の保留を解く' }).click();
      await expect(page.locator('.told')).toContainText('表示したときは3件、いまは4件です。保留は解きませんでした。');
      for (const id of ids) expect((await desk.mail(id)).held_reason).not.toBeNull();
      // The list is the latest one, and can be let go of as it is now.
      await expect(page.locator('table.list')).toContainText(`${kind}-4`);
      await expect(page).toHaveURL(new RegExp(`needs=held&kind=${kind}`));
      await expect(page.locator('.told .typed')).toContainText(WHY);
      // A second press of the key lets go of nothing: the form is closed.
      await expect(form.locator('textarea')).toBeHidden();
      await form.locator('summary').click();
      await expect(form.locator('textarea')).toHaveValue(WHY);
      await form.getByRole('button', { name: '4件の保留を解く' }).click();
      await expect(page.locator('.told')).toContainText('4件の保留を解きました。');
      for (const id of ids) expect((await desk.mail(id)).held_reason).toBeNull();
      await expect(page.locator('.empty')).toBeVisible();
      await page.goto(`${desk.url}/submissions/${ids[0]}`);
      await expect(page.locator('.line')).toContainText('lead1 さんが保留を解きました');
    });
  });
}

test('the second who lets go is told who was first', async ({ browser, page, desk }) => {
  const id = await desk.held('release-two');
  const other = await person(browser, desk, 'lead1');
  const heard = complaints(other);
  await signIn(page, desk.url, 'support1');
  for (const one of [page, other]) {
    await one.goto(`${desk.url}/submissions/${id}`);
    await awake(one);
    await one.locator('details.release summary').click();
    await one.locator('details.release textarea').fill(WHY);
  }
  await page.getByRole('button', { name: '保留を解く' }).click();
  await expect(page.locator('.told')).toContainText('保留を解きました');
  await other.getByRole('button', { name: '保留を解く' }).click();
  await expect(other.locator('.told')).toContainText(/\d\d:\d\d:\d\d に support1 さんが注文 release-two の保留を解いています。/);
  await expect(other.locator('.told .typed')).toContainText(WHY);
  // Held once more, it may be let go for the reason that was written.
  desk.hold();
  await other.locator('details.release summary').click();
  await expect(other.locator('details.release textarea')).toHaveValue(WHY);
  expect(heard).toEqual([]);
  await other.context().close();
});

test('who may let go of one only is told so at the list', async ({ page, desk }) => {
  await desk.held('release-role', { kind: 'role' });
  await signIn(page, desk.url, 'support1');
  await page.goto(`${desk.url}/submissions?needs=held&kind=role`);
  await expect(page.locator('table.list')).toContainText('release-role');
  await expect(page.locator('details.lot')).toHaveCount(0);
  await expect(page.locator('.note.lot')).toContainText('リーダーと管理者');
  await page.goto(`${desk.url}/submissions?kind=role`);
  await expect(page.locator('.lot')).toHaveCount(0);
});

looks('forms for held mails', (lang, look) => {
  test('axe finds nothing, and nothing is wider than the screen', async ({ page, desk }) => {
    const id = await desk.held(`release-axe-${lang}-${look}`, { kind: `axe-${lang}-${look}` });
    await signIn(page, desk.url, 'admin1');
    for (const path of [`/submissions/${id}`, `/submissions?needs=held&kind=axe-${lang}-${look}`]) {
      await page.goto(`${desk.url}${path}`);
      await awake(page);
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
      await page.locator('details.release summary').click();
      await expect(page.locator('details.release textarea')).toBeVisible();
      await soundAndNarrow(page);
    }
  });
}, 'dark');
