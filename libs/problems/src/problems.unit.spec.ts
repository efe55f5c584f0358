import {
  type ProblemCode,
  PROBLEMS,
  type Refusal,
  RefusalError,
  toProblemDocument,
  toV2Error,
  toV2InfraError,
} from './index';

const CODES = Object.keys(PROBLEMS) as ProblemCode[];
const refusal = (code: ProblemCode): Refusal => ({ code, reason: 'The name is too long.', subject: 'name' });

describe.each(CODES)('the refusal %s', (code) => {
  const { status, title } = PROBLEMS[code];

  it('has a stable name, a status of a refusal and a title', () => {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(title).toMatch(/^[A-Z].*[^.]$/);
  });

  it('becomes a problem document', () => {
    expect(toProblemDocument(refusal(code))).toEqual({
      type: `urn:muster:problem:${code}`,
      title,
      status,
      detail: 'The name is too long.',
      subject: 'name',
      allowed: undefined,
    });
  });

  it('becomes the error of the v2 contract, with all its members', () => {
    expect(toV2Error(refusal(code))).toEqual({
      kind: 'Error',
      id: status,
      href: '',
      code: String(status),
      reason: 'The name is too long.',
    });
  });

  it('becomes the infra error of the v2 contract', () => {
    expect(toV2InfraError(refusal(code))).toEqual({ code: status, message: 'The name is too long.' });
  });
});

describe('what would have been accepted', () => {
  const allowed = ['arm64', 'x86_64'];

  it('is listed in both bodies', () => {
    expect(toProblemDocument({ ...refusal('invalid-input'), allowed }).allowed).toEqual(allowed);
    expect(toV2Error({ ...refusal('invalid-input'), allowed }).reason).toBe(
      'The name is too long. Allowed: arm64, x86_64.',
    );
  });

  it('is not mentioned when nothing can be listed', () => {
    expect(toV2Error({ ...refusal('invalid-input'), allowed: [] }).reason).toBe('The name is too long.');
  });
});

describe('a refusal that has to be thrown', () => {
  it('carries the refusal and its sentence', () => {
    const error = new RefusalError(refusal('not-found'));
    expect(error.message).toBe('The name is too long.');
    expect(error.refusal.code).toBe('not-found');
    expect(error).toBeInstanceOf(Error);
  });
});
