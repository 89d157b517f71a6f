import type { Page } from '@playwright/test';
import type { Role } from '../tests/desk';

/** A picture: whose desk, and how to get there. */
export interface Picture {
  name: string;
  who: Role | 'nobody';
  /** A path; or how to reach the page, where it has a number in it. */
  at: string | ((page: Page, desk: string) => Promise<void>);
}

/** The first mail of a list. */
const firstOf = (list: string) => async (page: Page, desk: string) => {
  await page.goto(desk + list);
  const mail = await page.locator('main a[href^="/submissions/"]:not([href$="/errors"])').first().getAttribute('href');
  await page.goto(desk + mail!);
};

/** What resending the refused mails would do; nothing is sent. */
const preview = async (page: Page, desk: string) => {
  await page.goto(`${desk}/bulk/new?status=rejected`);
  await page.locator('main form button').click();
  await page.waitForURL(/\/bulk\/\d+$/);
};

/** Last month, which is closed where nobody has yet. */
const closed = async (page: Page, desk: string) => {
  const day = new Date();
  day.setUTCDate(0);
  await page.goto(`${desk}/reports?month=${day.toISOString().slice(0, 7)}`);
  const form = page.locator('form[action*="close_month"]');
  if ((await form.count()) === 0) return;
  await form.evaluate((element) => (element.closest('details')!.open = true));
  await form.locator('textarea').fill('—');
  await form.locator('button').click();
  await form.waitFor({ state: 'detached' });
};

export const PICTURES: Picture[] = [
  { name: 'sign-in', who: 'nobody', at: '/login' },
  { name: 'overview', who: 'lead', at: '/' },
  { name: 'mails', who: 'lead', at: '/submissions' },
  { name: 'mails-not-sent', who: 'support', at: '/submissions?status=failed' },
  { name: 'mails-none', who: 'support', at: '/submissions?q=no-such-order' },
  { name: 'errors', who: 'support', at: '/submissions/errors' },
  { name: 'mail-accepted', who: 'support', at: firstOf('/submissions?status=synced') },
  { name: 'mail-refused', who: 'support', at: firstOf('/submissions?status=rejected') },
  { name: 'mail-not-sent', who: 'support', at: firstOf('/submissions?status=failed') },
  { name: 'mail-held', who: 'support', at: firstOf('/submissions?needs=held') },
  { name: 'mail-bounced', who: 'support', at: firstOf('/submissions?only=bounced') },
  { name: 'mail-unknown', who: 'support', at: firstOf('/stuck') },
  { name: 'needs-checking', who: 'support', at: '/stuck' },
  { name: 'resend-many', who: 'lead', at: '/bulk/new?status=rejected' },
  { name: 'resend-many-preview', who: 'lead', at: preview },
  { name: 'resend-many-jobs', who: 'lead', at: '/bulk' },
  { name: 'reports', who: 'lead', at: '/reports' },
  { name: 'reports-closed-month', who: 'lead', at: closed },
  { name: 'users', who: 'admin', at: '/settings/users' },
  { name: 'user', who: 'admin', at: '/settings/users/1' },
  { name: 'audit-trail', who: 'admin', at: '/settings/audit' },
  { name: 'account', who: 'support', at: '/account' },
  { name: 'help', who: 'support', at: '/help' },
  { name: 'settings', who: 'admin', at: '/settings' },
  { name: 'api-tokens', who: 'admin', at: '/settings/tokens' },
  { name: 'not-found', who: 'support', at: '/no-such-page' },
];
