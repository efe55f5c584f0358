import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HOST_TIMEOUT_TABLE } from '@muster/domain';
import { operatorSettings, readTimeouts, timeoutSettings } from './derived-settings';
import { bytes, parseList, url } from './setting';
import { readSettings, SettingError, SettingsError, SettingsReader, unknownSettings } from './settings-reader';
import { type SettingName, SETTINGS } from './settings.table';

const problemsOf = (environment: Record<string, string>, ...names: SettingName[]): readonly string[] => {
  const settings = new SettingsReader(environment);
  names.forEach((name) => settings.get(name));
  return settings.problems;
};

describe('setting', () => {
  it.each(['', undefined])('has its default when it is %p', (value) => {
    const settings = new SettingsReader({ REST_PORT: value, ADMIN_USERS: value, NATS_URL: value });
    expect([settings.get('REST_PORT'), settings.get('ADMIN_USERS'), settings.get('NATS_URL')]).toEqual([
      8_090,
      [],
      undefined,
    ]);
    expect(settings.isSet('REST_PORT')).toBe(false);
  });

  it('is parsed according to its type', () => {
    const settings = new SettingsReader({
      REST_PORT: '1',
      ADMIN_USERS: ' a, b ,,c',
      ENABLE_ORG_TENANCY: 'TRUE',
      OS_IMAGES_FETCH: 'eager',
      IMAGE_EXPIRATION_TIME: '1h30m',
      EVENT_RATE_LIMITS: '{"a":"1h"}',
      SERVICE_BASE_URL: 'https://muster.example.com:8090//',
      OS_IMAGES_STORE_BYTES_MAX: '5',
    });
    expect(settings.get('REST_PORT')).toBe(1);
    expect(settings.get('ADMIN_USERS')).toEqual(['a', 'b', 'c']);
    expect(settings.get('ENABLE_ORG_TENANCY')).toBe(true);
    expect(settings.get('OS_IMAGES_FETCH')).toBe('eager');
    expect(settings.get('IMAGE_EXPIRATION_TIME')).toBe(5_400_000);
    expect(settings.get('EVENT_RATE_LIMITS')).toEqual({ a: '1h' });
    expect(settings.get('SERVICE_BASE_URL')).toBe('https://muster.example.com:8090');
    expect(settings.get('OS_IMAGES_STORE_BYTES_MAX')).toBe(5);
    expect(settings.problems).toEqual([]);
  });

  it.each<[SettingName, string, string]>([
    ['REST_PORT', 'eighty', 'a whole number from 0 to 65535'],
    ['REST_PORT', '80.5', 'a whole number from 0 to 65535'],
    ['REST_PORT', ' ', 'a whole number from 0 to 65535'],
    ['LOGS_BYTES_PER_CLUSTER_MAX', '\t', 'a whole number from 0'],
    ['REST_PORT', '65536', 'a whole number from 0 to 65535'],
    ['ENABLE_ORG_TENANCY', 'yes', 'true or false'],
    ['LOG_FORMAT', 'xml', 'one of text, json'],
    ['IMAGE_EXPIRATION_TIME', '90', 'a duration such as'],
    ['IMAGE_EXPIRATION_TIME', '99999999h', 'a duration such as 90s, 3m or 1h30m, of at most 10000000h'],
    ['OPENSHIFT_INSTALL_TIMEOUT', '597h', 'a duration such as 90s, 3m or 1h30m, of at most 596h'],
    ['DISK_CHECK_TIMEOUT', '9999999m', 'a duration such as 90s, 3m or 1h30m, of at most 596h'],
    ['IMAGE_AVAILABILITY_TIMEOUT', '9999999999999s', 'a duration such as 90s, 3m or 1h30m, of at most 596h'],
    ['OS_IMAGES', '{a:1}', 'a JSON array of objects'],
    ['SERVICE_BASE_URL', 'host:8090', 'an http or https URL'],
    ['SERVICE_BASE_URL', 'http://a b', 'an http or https URL'],
    ['SERVICE_BASE_URL', 'http://a:8090?site=1', 'an http or https URL without a query or a fragment'],
    ['IMAGE_SERVICE_BASE_URL', 'http://a:8888/#images', 'an http or https URL without a query or a fragment'],
  ])('%s=%s is reported with its value and the expected form', (name, value, expected) => {
    const [problem] = problemsOf({ [name]: value }, name);
    expect(problem).toContain(`Setting ${name}=${JSON.stringify(value)} is not valid. Expected: ${expected}`);
  });

  it.each([
    'DISK_CHECK_TIMEOUT',
    'IMAGE_AVAILABILITY_TIMEOUT',
    'OPENSHIFT_INSTALL_TIMEOUT',
    'HOST_MAX_DISCONNECTION_TIME',
    'AGENT_NATS_CREDENTIALS_LIFETIME',
    'LOCAL_TOKEN_LIFETIME',
    'IMAGE_EXPIRATION_TIME',
  ] as const)('%s=0 is refused, because nothing works in no time', (name) => {
    const [problem] = problemsOf({ [name]: '0s' }, name);
    expect(problem).toMatch(new RegExp(`^Setting ${name}="0s" is not valid\\. .* It must be longer than 0\\.$`));
    expect(problemsOf({ [name]: '1ms' }, name)).toEqual([]);
  });

  it('never repeats the value of a secret, and only the beginning of a long value', () => {
    expect(problemsOf({ OS_IMAGES_REQUEST_HEADERS: '{token' }, 'OS_IMAGES_REQUEST_HEADERS')[0]).not.toContain('token');
    const [problem = ''] = problemsOf({ OS_IMAGES: `{${'x'.repeat(5_000)}` }, 'OS_IMAGES');
    expect(problem.length).toBeLessThan(300);
  });

  it('prefers its own name to its aliases, and reports the name that is set', () => {
    expect(new SettingsReader({ PORT: '1', REST_PORT: '2' }).get('REST_PORT')).toBe(2);
    expect(new SettingsReader({ LISTEN_PORT: '1', IMAGE_SERVICE_PORT: '3' }).get('IMAGE_PORT')).toBe(3);
    expect(problemsOf({ PORT: 'x' }, 'REST_PORT')[0]).toContain('PORT="x"');
  });
});

describe('readSettings', () => {
  it('reports all invalid values together, thrown or recorded', () => {
    const read = (): unknown =>
      readSettings({ REST_PORT: 'x', IMAGE_PORT: 'y' }, (settings) => {
        settings.get('REST_PORT');
        settings.get('IMAGE_PORT');
        settings.reject('A', '', 'a value');
        throw new SettingError('B', 'c', 'd');
      });
    expect(read).toThrow(SettingsError);
    expect(read).toThrow(/REST_PORT="x"[^]*IMAGE_PORT="y"[^]*Setting A is missing[^]*Setting B="c" is not valid/);
  });

  it('returns variables with the prefix MUSTER_ that no setting has', () => {
    const environment = { MUSTER_DATA_DIR: '/x', MUSTER_DATA_DIRECTORY: '/y', MUSTER_PROPERTY_RUNS: '1', OTHER: '1' };
    expect(unknownSettings(environment)).toEqual(['MUSTER_DATA_DIR']);
    expect(unknownSettings({ MUSTER_HOST_ARCHITECTURES: 'x86_64,aarch64' })).toEqual([]);
  });

  it.each([
    'SERVICE_BASEURL',
    'RELEASE_IMAGE',
    'HOST_STAGE_INSTALING_TIMEOUT',
    'RHOCS_VERSIONS',
    'AGENT_DOCKER_IMAGES',
  ])('returns a variable that differs from a setting in one letter: %s', (name) =>
    expect(unknownSettings({ [name]: '1', [`${name}_OF_ANOTHER_PROGRAM`]: '1' })).toEqual([name]),
  );

  it('returns no setting, no timeout, no setting of an operator, and no short name', () => {
    const derived = [...timeoutSettings(String), ...operatorSettings()].map(({ name }) => name);
    const aliases = Object.values(SETTINGS).flatMap((one) => ('aliases' in one ? (one.aliases ?? []) : []));
    const names = [...derived, ...aliases, ...Object.keys(SETTINGS), 'WORKDIR', 'TEST_PORT'];
    expect(unknownSettings(Object.fromEntries(names.map((name) => [name, '1'])))).toEqual([]);
  });

  it('knows the variables of the tools', () => {
    expect(unknownSettings({ MUSTER_VM_PICTURES: '/x', MUSTER_DEMO_TIME_SCALE: '1', MUSTER_WALK_MS: '1' })).toEqual([]);
    expect(unknownSettings({ MUSTER_BENCH_X: '1' })).toEqual(['MUSTER_BENCH_X']);
  });

  it('reads timeouts in milliseconds by their setting', () => {
    const settings = new SettingsReader({ A: '2m', B: 'soon' });
    expect(readTimeouts(settings, [{ env: 'A' }, { env: 'B' }, { env: 'C' }, { env: undefined }])).toEqual({
      A: 120_000,
    });
    expect(settings.problems[0]).toContain('B="soon"');
  });

  it('refuses a timeout of 0, which would end each installation, but not a retention of 0', () => {
    const [stage, retention] = ['HOST_STAGE_REBOOTING_TIMEOUT', 'DELETED_UNREGISTERED_AFTER'];
    const settings = new SettingsReader({ [stage]: '0', [retention]: '0' });
    expect(readTimeouts(settings, HOST_TIMEOUT_TABLE)).toEqual({ [retention]: 0 });
    expect(settings.problems).toEqual([
      `Setting ${stage}="0" is not valid. Expected: a duration such as 90s, 3m or 1h30m. It must be longer than 0.`,
    ]);
  });

  it('reports a wrong value once when it is a setting and a timeout', () => {
    const settings = new SettingsReader({ HOST_MAX_DISCONNECTION_TIME: 'soon' });
    settings.get('HOST_MAX_DISCONNECTION_TIME');
    readTimeouts(settings, HOST_TIMEOUT_TABLE);
    expect(settings.problems).toHaveLength(1);
  });
});

/** Programs that run on hosts read these variables themselves. */
const ON_HOSTS_OR_IN_TESTS = /\/libs\/(testing|host-api)\/|\/services\/(agent|controller|host|installer)\//;

describe('settings table', () => {
  const all: [string, (typeof SETTINGS)[SettingName]][] = Object.entries(SETTINGS);
  const sources = ['services', 'libs'].flatMap((folder) => sourcesIn(resolve(__dirname, '../../../..', folder)));

  it('has a description that is a sentence, and a reader, for every setting', () => {
    for (const [name, { meaning, readBy }] of all) {
      expect(`${name}: ${meaning}`).toMatch(/: [A-Z`].*\.$/s);
      expect(readBy.length).toBeGreaterThan(0);
    }
  });

  it('has no setting that no program reads', () => {
    const text = sources.map(({ content }) => content).join('\n');
    const script = readFileSync(resolve(__dirname, '../../../../tools/build-host.mjs'), 'utf8');
    const isRead = ([name, { readBy }]: (typeof all)[number]): boolean =>
      readBy.includes('build:host') ? script.includes(`process.env.${name} `) : text.includes(`'${name}'`);
    expect(all.filter((entry) => !isRead(entry)).map(([name]) => name)).toEqual([]);
  });

  it('contains every environment variable that a program reads', () => {
    const direct = sources
      .filter(({ content }) => /process\.env(\.(?!PATH\b)|\[)/.test(content))
      .map(({ file }) => file);
    expect(direct.filter((file) => !ON_HOSTS_OR_IN_TESTS.test(file))).toEqual([]);
  });

  it('shares no name with a timeout or a setting of an operator', () => {
    const derived = [...timeoutSettings(String), ...operatorSettings()].map(({ name }) => name);
    const names = [...derived, ...all.flatMap(([name, { aliases = [] }]) => [name, ...aliases])];
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});

describe('types of settings', () => {
  it('bytes accept whole numbers only', () => {
    expect(bytes({ readBy: [], meaning: '', min: 1 }).parse('0')).toBeUndefined();
  });
  it('lists omit empty entries', () => expect(parseList(' a,,b ')).toEqual(['a', 'b']));
  it.each(['http://a"b', "http://a'b", 'ftp://a', 'http://a\\b'])('URLs refuse %s', (value) => {
    expect(url({ readBy: [], meaning: '' }).parse(value)).toBeUndefined();
  });
});

/** TypeScript sources without specs, generated code and the table itself. */
function sourcesIn(folder: string): { readonly file: string; readonly content: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.spec.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\/(node_modules|dist|gen)\/|\/settings\/table\//.test(file))
    .map((file) => ({ file, content: readFileSync(file, 'utf8') }));
}
