import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** Each driver is named in one adapter only (and where the framework's transport loads it). */
const DRIVERS = {
  libsql: ['libs/adapters/sqlite/**'],
  '@eventstore/db-client': ['libs/adapters/eventstoredb/**'],
  mongodb: ['libs/adapters/mongodb/**'],
  minio: ['libs/adapters/minio/**'],
  nats: ['libs/adapters/nats/**'],
  'nkeys.js': ['libs/adapters/nats/**'],
};

/** What a package may import. docs/architecture.md names the order. */
const LAYERS = {
  base: [],
  pure: ['base', 'pure', 'contract'],
  port: ['base'],
  contract: ['base', 'port'],
  kit: ['base', 'pure', 'port', 'contract', 'kit'],
  adapter: ['base', 'port', 'contract', 'testing'],
  testing: ['base', 'pure', 'port', 'contract', 'kit', 'adapter'],
  service: ['base', 'pure', 'port', 'contract', 'kit', 'adapter', 'testing'],
  app: ['base', 'pure', 'port', 'contract', 'kit', 'adapter', 'testing', 'service'],
  tool: ['base', 'pure', 'port', 'contract', 'kit', 'adapter', 'testing', 'service', 'app', 'tool'],
};

/**
 * The test platform (`@muster/testing/platform`) opens these, and their own specs use the other parts of `@muster/testing`.
 * Only projects meet in a circle, not files: dependency-cruiser checks the files.
 */
const TEST_PLATFORM_PARTS = [
  'adapter-filesystem',
  'adapter-in-memory',
  'adapter-nats',
  'adapter-sqlite',
  'event-sourcing',
  'nest-kit',
];

/** Specs may also stand on the test kit and on real adapters. */
const boundaries = (forSpecs) => [
  'error',
  {
    enforceBuildableLibDependency: false,
    ignoredCircularDependencies: TEST_PLATFORM_PARTS.map((part) => ['testing', part]),
    allow: [],
    depConstraints: Object.entries(LAYERS).map(([layer, may]) => ({
      sourceTag: `layer:${layer}`,
      onlyDependOnLibsWithTags: [...may, ...(forSpecs ? ['testing', 'adapter', 'kit'] : [])].map(
        (other) => `layer:${other}`,
      ),
    })),
  },
];

const driverRule = (allowedHere) => [
  'error',
  {
    paths: Object.entries(DRIVERS)
      .filter(([driver, homes]) => driver !== allowedHere && String(homes) !== String(DRIVERS[allowedHere]))
      .map(([name, homes]) => ({ name, message: `${name} is a driver: only ${homes.join(', ')} may import it.` })),
  },
];

/** Libraries without clock, randomness, input and output. */
const PURE = [
  'addresses',
  'decision',
  'domain',
  'evaluation',
  'validation-rules',
  'feature-support',
  'ignition-config',
  'boot-image',
  'inventory',
  'operators',
  'problems',
  'schema',
];

/** Where a foreign form meets the types of the product: adapters of ports, and the codecs of events, messages and saved states. */
const CASTING = [
  'libs/adapters/**',
  'libs/contracts/src/event-codec.ts',
  'libs/contracts/src/plain.ts',
  'libs/event-sourcing/src/saved/values.ts',
  'libs/event-sourcing/src/saved/kept-read-models.ts',
];

/** Built-in modules whose functions depend on their arguments only. Of `node:crypto`, only the class that reads certificates. */
const PURE_BUILTINS = {
  'boot-image': ['node:zlib'],
  'ignition-config': ['node:buffer', 'node:crypto'],
  inventory: ['node:buffer'],
};

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/gen/**', '.nx/**', '**/*.cjs'] },
  ...tseslint.configs.recommended,
  { files: ['**/*.{ts,mjs}'], rules: { 'max-lines': ['error', { max: 300 }] } },
  {
    files: ['**/*.mjs'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[property.name='pathname'] > NewExpression[callee.name='URL'] MetaProperty",
          message: 'A pathname is percent-encoded: use fileURLToPath.',
        },
      ],
    },
  },
  {
    files: ['**/*.ts'],
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': boundaries(false),
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-imports': driverRule(undefined),
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
        {
          selector:
            "CallExpression[callee.object.name='AbortSignal'][callee.property.name='any'] CallExpression[callee.property.name='timeout']",
          message: 'Node 20 loses the time limit: use abortAfter of @muster/ports.',
        },
      ],
    },
  },
  {
    // With `export *`, one getter that looks up the name serves all exports, and every use of a function of a library goes through it.
    files: ['libs/**/index.ts'],
    ignores: ['libs/testing/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration[exportKind="value"]', message: 'List the public names.' },
      ],
    },
  },
  { files: ['**/*.spec.ts'], rules: { '@nx/enforce-module-boundaries': boundaries(true) } },
  {
    // Types are narrowed by guards and schemas (`@muster/schema`). `as const` is allowed.
    files: ['**/*.ts'],
    ignores: [...CASTING, '**/*.spec.ts', '**/*.bench.ts'],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: { '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }] },
  },
  ...Object.entries(DRIVERS).map(([driver, files]) => ({
    files,
    rules: { 'no-restricted-imports': driverRule(driver) },
  })),
  {
    // The generic library knows no product: its event types arrive as type parameters.
    files: ['libs/event-sourcing/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@muster/*', '!@muster/ports', '!@muster/decision'],
              message: 'This library is free of the product.',
            },
            ...Object.keys(DRIVERS).map((name) => ({ group: [name], message: 'Drivers live in adapters.' })),
          ],
        },
      ],
    },
  },
  ...PURE.map((lib) => ({
    // The pure core: no clock, no random, no I/O, no framework.
    files: [`libs/${lib}/src/**/*.ts`],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: [
                'node:*',
                '@nestjs/*',
                'fs',
                'fs/*',
                'path',
                'crypto',
                'http',
                'https',
                'net',
                'os',
                'zlib',
                'stream',
                ...(PURE_BUILTINS[lib] ?? []).map((builtin) => `!${builtin}`),
              ],
              message: 'This library is pure: pass in what it needs.',
            },
            {
              group: ['node:crypto'],
              allowImportNames: ['X509Certificate'],
              message: 'This library is pure: pass in random numbers and keys.',
            },
            ...Object.keys(DRIVERS).map((name) => ({
              group: [name],
              message: 'This library is pure: drivers live in adapters.',
            })),
          ],
        },
      ],
      'no-restricted-globals': [
        'error',
        'process',
        'Buffer',
        'fetch',
        'setTimeout',
        'setInterval',
        'console',
        'crypto',
        'performance',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time is an argument here.' },
        { object: 'Math', property: 'random', message: 'Randomness is an argument here.' },
      ],
    },
  })),
);
