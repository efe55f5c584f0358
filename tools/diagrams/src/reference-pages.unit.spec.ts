import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EVENT_NAMES, METRIC_EVENTS, OWN_EVENT_NAMES } from '@muster/assisted-api';
import { operatorSettings, SETTINGS, timeoutSettings } from '@muster/nest-kit';
import { clusterBlockingStatus, CLUSTER_RULES, HOST_RULES, hostBlockingStatus } from '@muster/validation-rules';
import { eventsPage, settingsPage, validationsPage } from './reference-pages';

const ROOT = resolve(__dirname, '../../..');
const REFERENCE = resolve(ROOT, '../shared/reference/service/events-metrics.md');
const hasReference = existsSync(REFERENCE);
const withReference = hasReference ? it : it.skip;
const missing = hasReference ? '' : ' (skipped: the reference is not in ../shared)';
/** Posted by controllers and stored unchanged, so no source contains their name. */
const POSTED = ['reboots_for_node'];

/** A template with fewer fixed characters matches too many names. */
const TEMPLATE_CHARACTERS_MIN = 6;

/** Whether a source file contains the name as a literal or as concatenated parts. */
function namesInSources(): (name: string) => boolean {
  const files = ['events', 'gateway', 'registration'].flatMap((service) => {
    const folder = join(ROOT, 'services', service, 'src');
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'));
  });
  const text = files.join('\n');
  const templates = [...text.matchAll(/`([a-z_]*\$\{[a-z_${}]+)`/g)].map(([, template = '']) => template);
  const expressions = templates
    .filter((template) => template.replaceAll(/\$\{[^}]*\}/g, '').length >= TEMPLATE_CHARACTERS_MIN)
    .map((template) => new RegExp(`^${template.replaceAll(/\$\{[^}]*\}/g, '([a-z_]+)')}$`));
  const isPutTogether = (name: string): boolean =>
    expressions.some((expression) => {
      const parts = expression.exec(name)?.slice(1);
      return parts?.every((part) => text.includes(`'${part}'`)) ?? false;
    });
  return (name) => text.includes(`'${name}'`) || isPutTogether(name);
}

describe('names of events', () => {
  const isSaid = namesInSources();

  it.each(EVENT_NAMES.filter(({ name }) => !POSTED.includes(name)))('$name: $origin', ({ name, origin }) => {
    expect(isSaid(name)).toBe(origin !== 'never');
  });

  it.each(OWN_EVENT_NAMES)('of Muster: $name', ({ name }) => expect(isSaid(name)).toBe(true));

  it('are unique in the table and listed on the page', () => {
    const names = [...EVENT_NAMES, ...OWN_EVENT_NAMES].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const page = eventsPage();
    expect(names.filter((name) => !page.includes(`\`${name}\`: `))).toEqual([]);
  });

  withReference(`equal those of assisted-service v2${missing}`, () => {
    const [, section = ''] = readFileSync(REFERENCE, 'utf8').split(/^## /m).slice(1);
    const names = [...section.matchAll(/^\| (\w+) \| (?:cluster|host|infra_env) \|/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(70);
    expect(EVENT_NAMES.map(({ name }) => name).sort()).toEqual(names.sort());
  });

  withReference(`of the category metrics equal those of assisted-service v2, with their properties${missing}`, () => {
    const [, listed = ''] =
      /Metrics events \(category metrics\).*?props: (.*)$/m.exec(readFileSync(REFERENCE, 'utf8')) ?? [];
    const without = listed.replaceAll(/\([^)]*\)| ms\b/g, '');
    const found = [...without.matchAll(/([a-z_.]+(?: and [a-z_.]+)?) \{([^}]*)\}/g)].flatMap(
      ([, names = '', props = '']) =>
        names.split(' and ').map((name) => [name, props.split(',').map((prop) => prop.trim())] as const),
    );
    expect(found.length).toBeGreaterThan(9);
    expect(Object.fromEntries(Object.entries(METRIC_EVENTS).map(([name, { props }]) => [name, props]))).toEqual(
      Object.fromEntries(found),
    );
  });
});

describe('The page of settings', () => {
  const page = settingsPage();

  it('lists every setting, timeout and operator setting', () => {
    const names = [
      ...Object.keys(SETTINGS),
      ...[...timeoutSettings(String), ...operatorSettings()].map(({ name }) => name),
    ];
    expect(names.filter((name) => !page.includes(`| \`${name}\``))).toEqual([]);
  });

  it('shows defaults in the notation of their settings', () => {
    expect(page).toMatch(/\| `HOST_MAX_DISCONNECTION_TIME` \| duration \| 3m \| registration \|/);
    expect(page).toMatch(/\| `REST_PORT`, alias `PORT` \| port \| `8090` \| gateway, ignition, image \|/);
  });
});

describe('The page of validations', () => {
  const [hosts = '', clusters = ''] = validationsPage().split('## Cluster validations');
  const failure = (id: string) => ({ id, status: 'failure', parameters: [] });
  const gatesIn = (section: string) =>
    [...section.matchAll(/### (\S+)\n[^#]*?gate `([\w-]+)`[^\n]*\n- Effect of a failure: \S/g)].map(([, id, gate]) => [
      id,
      gate,
    ]);

  it('shows the gate as the API does, and the effect of a failure', () => {
    expect(gatesIn(hosts)).toEqual(HOST_RULES.map(({ id }) => [id, hostBlockingStatus(failure(id), [], true).gate]));
    expect(gatesIn(clusters)).toEqual(CLUSTER_RULES.map(({ id }) => [id, clusterBlockingStatus(failure(id), []).gate]));
  });
});
