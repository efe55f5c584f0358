/** Conventional commits: header of at most 72 characters, one scope, and a body that says why where behaviour or structure changes. */
const TYPES_WITH_BODY = ['feat', 'fix', 'perf', 'refactor'];
/** Subjects are imperative: a past tense, gerund, or third-person verb at the start is refused. */
const NOT_IMPERATIVE =
  /^(added|adds|adding|fixed|fixes|fixing|changed|changes|changing|removed|removes|removing|updated|updates|updating|moved|moves|moving|made|makes|making|renamed|renames|renaming|used|uses|using|merged|merges|merging|allowed|allows|the|a|an)\b/i;

export default {
  extends: ['@commitlint/config-conventional'],
  rules: {
    'header-max-length': [2, 'always', 72],
    'body-max-line-length': [0],
    'footer-max-line-length': [0],
    'scope-empty': [2, 'never'],
    'single-scope': [2, 'always'],
    'imperative-subject': [2, 'always'],
    'body-for-changes': [2, 'always'],
  },
  plugins: [
    {
      rules: {
        'single-scope': ({ scope }) => [
          /^[a-z0-9-]+$/.test(scope ?? ''),
          'the scope is one package or area: a-z, 0-9, -',
        ],
        'imperative-subject': ({ subject }) => [
          !NOT_IMPERATIVE.test(subject ?? ''),
          'the subject starts with a verb in the imperative, such as "add" or "refuse"',
        ],
        'body-for-changes': ({ type, body }) => [
          !TYPES_WITH_BODY.includes(type) || Boolean(body?.trim()),
          `${TYPES_WITH_BODY.join(', ')} need a body that says why`,
        ],
      },
    },
  ],
};
