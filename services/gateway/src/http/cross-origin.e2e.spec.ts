import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RegistrationService } from '@muster/contracts';
import type { Browser, Page } from 'playwright-core';
import { API, type RunningGateway, startRunningGateway } from '../running-gateway.fixture.spec';
import { clusterDocument, CLUSTER_ID, eventDocument } from '../sample-documents.fixture.spec';
import { startTestIssuer, type TestIssuer } from '../auth/test-issuer.fixture.spec';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const reason = CHROMIUM ? '' : ' (skipped: chromium is not installed; run npm run setup -- --verifiers)';

/** The response that a page receives; `blocked` when the browser does not let it read the answer. */
interface Outcome {
  readonly status: number | 'blocked';
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

(CHROMIUM ? describe : describe.skip)(`a page of another origin in a browser${reason}`, () => {
  jest.setTimeout(120_000);
  const sites: Server[] = [];
  let browser: Browser;
  let issuer: TestIssuer;
  let gateway: RunningGateway;
  let consoleSite = '';
  let otherSite = '';
  let token = '';
  const serve = async (): Promise<string> => {
    const site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>page</title>');
    });
    sites.push(site);
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  };
  beforeAll(async () => {
    const { chromium } = await import('playwright-core');
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', '--disable-gpu'] });
    [consoleSite, otherSite] = [await serve(), await serve()];
    issuer = await startTestIssuer();
    token = await issuer.token({ username: 'alice' });
    gateway = await startRunningGateway({
      AUTH_TYPE: 'oidc',
      OIDC_ISSUER_URL: issuer.url,
      ALLOWED_DOMAINS: `${consoleSite},https://*.example.com`,
    });
    await gateway.project(1, [clusterDocument({ user_name: 'alice' }), eventDocument(1)]);
    const { deregisterCluster, reviseCluster } = RegistrationService.method;
    for (const method of [deregisterCluster, reviseCluster])
      await gateway.answers(method, () => ({ stored: { position: 1, revision: 1 } }));
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
    await issuer.close();
    for (const site of sites) {
      site.closeAllConnections();
      site.close();
    }
  });

  const pageAt = async (origin: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(origin);
    return page;
  };
  const send = (page: Page, method: string, path: string, headers: Record<string, string>, body?: string) =>
    page.evaluate(
      async ([url, init]): Promise<Outcome> => {
        try {
          const response = await fetch(url, init);
          return {
            status: response.status,
            headers: Object.fromEntries(response.headers),
            text: await response.text(),
          };
        } catch {
          return { status: 'blocked', headers: {}, text: '' };
        }
      },
      [gateway.url + API + path, { method, headers, body }] as const,
    );
  const authorized = (): Record<string, string> => ({ authorization: `Bearer ${token}` });

  it('reads clusters, and events with their counts, when its origin is allowed', async () => {
    const page = await pageAt(consoleSite);
    expect(await send(page, 'GET', '/v2/clusters', authorized())).toMatchObject({
      status: 200,
      text: expect.stringContaining(CLUSTER_ID),
    });
    const events = await send(page, 'GET', `/v2/events?cluster_id=${CLUSTER_ID}`, authorized());
    expect(events).toMatchObject({ status: 200, headers: { 'event-count': '1' } });
    // The page can read why it is refused.
    expect(await send(page, 'GET', '/v2/clusters', { authorization: 'Bearer x' })).toMatchObject({ status: 401 });
  });

  it.each([
    ['PATCH', `/v2/clusters/${CLUSTER_ID}`, { 'content-type': 'application/json' }, '{"name":"two"}', 201],
    ['DELETE', `/v2/clusters/${CLUSTER_ID}`, { 'idempotency-key': 'once' }, undefined, 204],
    ['GET', '/v2/clusters', { get_unregistered_clusters: 'false' }, undefined, 200],
  ] as const)('sends %s %s after its preflight', async (method, path, headers, body, status) => {
    const page = await pageAt(consoleSite);
    const outcome = await send(page, method, path, { ...authorized(), ...headers }, body);
    expect(outcome).toMatchObject({ status });
  });

  it('reads and writes nothing when its origin is not allowed', async () => {
    const page = await pageAt(otherSite);
    const before = gateway.received.length;
    expect(await send(page, 'GET', '/v2/clusters', authorized())).toMatchObject({ status: 'blocked' });
    expect(await send(page, 'GET', '/v2/clusters', {})).toMatchObject({ status: 'blocked' });
    expect(await send(page, 'DELETE', `/v2/clusters/${CLUSTER_ID}`, authorized())).toMatchObject({ status: 'blocked' });
    expect(gateway.received).toHaveLength(before);
  });
});
