import { randomUUID } from 'node:crypto';
import { eventually } from '@muster/testing';
import { canaryWords } from './canary-secrets.fixture.spec';
import { type CanaryWorld, openCanaryWorld } from './canary-world.fixture.spec';
import { LOG, MANIFEST, PLAIN_ROUTES, SECRET_ROUTES, SHOWN_TO_THE_OWNER, UPLOADS } from './secret-routes.fixture.spec';

const API = '/api/assisted-install/v2';
const OVERLONG_CHARACTERS = 2_200_000;
const TOO_LARGE_BYTES = 5 * 1024 * 1024;
/** Files of an object store: of the service, and of the logs of each cluster. */
const OBJECTS = /^(?:logs\/[^/]+\/)?objects\//;
const TAKES_A_BODY = /^(?:POST|PUT|PATCH) /;

interface Sent {
  readonly route: string;
  readonly status: number;
  readonly text: string;
}

/** Where a secret is in a body, and how to put something else there. */
type Json = { readonly [member: string]: unknown };

/** The body as clients get it wrong: each variant still has the secrets in it. */
function spoiled(body: object | string): readonly string[] {
  const text = JSON.stringify(body);
  const cut = text.slice(0, -1);
  if (typeof body === 'string') return [cut, body, JSON.stringify([body]), JSON.stringify({ text: body })];
  const members = Object.entries(body as Json);
  const wrong = members.flatMap(([name, value]) => [
    { ...body, [name]: typeof value === 'object' ? 7 : { wrong: value } },
    { ...body, [name]: [[value]] },
    {
      ...body,
      [name]: typeof value === 'object' ? JSON.stringify(value) : `${String(value)}${'x'.repeat(OVERLONG_CHARACTERS)}`,
    },
    // What is no URL, no pull secret, no document, with the secret still in it.
    { ...body, [name]: typeof value === 'string' ? `${value.slice(1)} \n` : [value, 7] },
    { ...body, [`${name}_`]: value },
  ]);
  const padded = { ...body, padding: 'x'.repeat(TOO_LARGE_BYTES) };
  return [
    cut,
    text.slice(1),
    `${cut.slice(0, -2)}\u0000"}`,
    ...[...wrong, [body], { body }, padded].map((one) => JSON.stringify(one)),
  ];
}

describe('secrets in requests', () => {
  const words = canaryWords();
  const ids = { cluster_id: '', infra_env_id: '', host_id: randomUUID() };
  const answers: Sent[] = [];
  let world: CanaryWorld;

  const pathOf = (pattern: string, others: Partial<typeof ids> = {}): string =>
    pattern.replace(/:(\w+)/g, (_, name: string) => ({ ...ids, ...others })[name as keyof typeof ids] ?? 'x');

  /** `route`: `METHOD /pattern`. */
  async function send(
    route: string,
    options: { body?: string | FormData; path?: string; type?: string; headers?: Record<string, string> } = {},
  ): Promise<Sent> {
    const [method = '', pattern = ''] = route.split(' ');
    const { body, type = 'application/json' } = options;
    const headers = { ...(typeof body === 'string' && { 'content-type': type }), ...options.headers };
    const response = await fetch(world.endpoint + (options.path ?? pathOf(pattern)), { method, body, headers });
    const sent = { route, status: response.status, text: Buffer.from(await response.arrayBuffer()).toString() };
    answers.push(sent);
    return sent;
  }

  const accepted = async (route: string): Promise<Sent> => {
    const secret = SECRET_ROUTES.get(route);
    const sent = await send(route, { body: JSON.stringify(secret?.body(words)) });
    if (sent.status >= 300) throw new Error(`${route} answered ${sent.status}: ${sent.text}`);
    return sent;
  };
  const idIn = ({ text }: Sent): string => (JSON.parse(text) as { readonly id: string }).id;

  beforeAll(async () => {
    world = await openCanaryWorld();
    ids.cluster_id = idIn(await accepted(`POST ${API}/clusters`));
    ids.infra_env_id = idIn(await accepted(`POST ${API}/infra-envs`));
    await send(`POST ${API}/infra-envs/:infra_env_id/hosts`, { body: JSON.stringify({ host_id: ids.host_id }) });
    // 1. Said as it should be.
    for (const route of SECRET_ROUTES.keys()) await accepted(route);
    const form = new FormData();
    for (const [route, what] of UPLOADS) {
      form.append('upfile', new Blob([words.plant(what)]), 'logs.tar.gz');
      await send(route, { path: `${pathOf(route.split(' ')[1] ?? '')}?logs_type=controller`, body: form });
    }
    // 2. Said wrongly, about what does not exist, and in another language.
    for (const [route, secret] of SECRET_ROUTES) {
      const body = secret.body(words);
      for (const text of spoiled(body)) await send(route, { body: text });
      const nowhere = pathOf(route.split(' ')[1] ?? '', { cluster_id: randomUUID(), infra_env_id: randomUUID() });
      await send(route, { body: JSON.stringify(body), path: nowhere });
      await send(route, { body: JSON.stringify(body), type: 'text/plain' });
    }
    // 3. Proofs that prove nothing here, wherever they may be put.
    for (const route of world.routes) {
      if (route.startsWith('DELETE') || /actions|regenerate/.test(route)) continue;
      const token = words.plant('token');
      const file = route.includes('manifests') ? MANIFEST.file_name : 'discovery.ign';
      await send(route, {
        path: `${pathOf(route.split(' ')[1] ?? '')}?api_key=${token}&image_token=${token}&file_name=${file}`,
        headers: { authorization: `Bearer ${token}`, 'x-secret-key': token, 'image-token': token, cookie: token },
      });
    }
    for (const path of [
      'byapikey/TOKEN/4.18/x86_64/full.iso',
      'bytoken/TOKEN/4.18/x86_64/full.iso',
      `images/${ids.infra_env_id}?api_key=TOKEN`,
    ]) {
      const response = await fetch(`${world.imageEndpoint}/${path.replace('TOKEN', words.plant('token'))}`);
      answers.push({ route: 'an image', status: response.status, text: await response.text() });
    }
  }, 120_000);
  afterAll(() => world.close());

  it('covers every route with a body', () => {
    const taking = world.routes.filter((route) => TAKES_A_BODY.test(route)).sort();
    const known = [...SECRET_ROUTES.keys(), ...PLAIN_ROUTES, ...UPLOADS.keys()].sort();
    expect(taking).toEqual(known);
  });

  it('can find what it looks for', async () => {
    const sealed = words.plant('probe');
    expect(words.foundIn(`x${sealed}y`)).toEqual(['probe']);
    expect(words.foundIn(words.base64(`key: ${sealed}`))).toEqual(['probe']);
    expect(world.messages.some(({ subject }) => subject.startsWith('event.v1.'))).toBe(true);
    expect(world.log.length).toBeGreaterThan(0);
    await eventually('the read models show the last change', async () => (await world.readModels()).includes('tags'));
  });

  it('are in no event', async () => {
    expect(words.foundIn(await world.facts())).toEqual([]);
    const live = world.messages.filter(({ subject }) => !/^_INBOX\.|^(?:\w+)\.v1\.(?:\w+)$/.test(subject));
    expect(words.foundIn(JSON.stringify(live))).toEqual([]);
    const events = world.messages.filter(({ subject }) => /^(?:event|projection)\./.test(subject));
    expect(words.foundIn(JSON.stringify(events))).toEqual([]);
  });

  it('are in no read model', async () => {
    expect(words.foundIn(await world.readModels())).toEqual([]);
  });

  it('are in no line of the log', () => {
    expect(world.log.filter((line) => words.foundIn(line).length > 0)).toEqual([]);
  });

  it('are in no figure', async () => {
    const metrics = await world.metrics();
    expect(metrics).toContain('http_request_duration_seconds');
    expect(words.foundIn(metrics)).toEqual([]);
  });

  it('are in no file in clear', () => {
    const files = world.files().map(({ name, text }) => [name, words.foundIn(text)] as const);
    expect(files.map(([name]) => name)).toEqual(expect.arrayContaining(['events.sqlite']));
    // A log is what its uploader sends; the object store has it as it is.
    for (const [name, found] of files)
      expect([name, found]).toEqual([name, found.filter((what) => OBJECTS.test(name) && what === LOG)]);
  });

  it('do not go over the bus, because the services of one process call each other directly', () => {
    const found = world.messages.filter(({ subject, body }) => words.foundIn(subject + body).length > 0);
    expect(world.messages.length).toBeGreaterThan(0);
    expect([...new Set(found.map(({ subject }) => subject))]).toEqual([]);
  });

  it('are in no answer that refuses', () => {
    const refusals = answers.filter(({ status }) => status >= 400);
    expect(new Set(refusals.map(({ status }) => status))).toEqual(new Set([400, 401, 404, 409, 413, 415, 422]));
    expect(refusals.filter(({ text }) => words.foundIn(text).length > 0)).toEqual([]);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it('are in no other answer, but for those that are there to show them', () => {
    const found = new Map<string, Set<string>>();
    for (const { route, text } of answers)
      for (const what of words.foundIn(text)) found.set(route, (found.get(route) ?? new Set()).add(what));
    const expected = new Map([
      ...[...SECRET_ROUTES].flatMap(([route, { shows }]) => (shows ? [[route, shows] as const] : [])),
      ...SHOWN_TO_THE_OWNER,
    ]);
    const plain = (map: ReadonlyMap<string, Iterable<string>>) =>
      Object.fromEntries([...map].map(([route, what]) => [route, [...what].sort()]));
    expect(plain(found)).toEqual(plain(expected));
  });
});
