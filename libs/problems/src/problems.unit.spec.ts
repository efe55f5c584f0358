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

describe.each(CODES)('problem code %s', (code) => {
  const { status, title } = PROBLEMS[code];

  it('has a stable name, an HTTP error status, and a title', () => {
    expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(title).toMatch(/^[A-Z].*[^.]$/);
  });

  it('converts to a problem document', () => {
    expect(toProblemDocument(refusal(code))).toEqual({
      type: `urn:muster:problem:${code}`,
      title,
      status,
      detail: 'The name is too long.',
      subject: 'name',
      allowed: undefined,
    });
  });

  it('converts to the error of the v2 API with all its members', () => {
    expect(toV2Error(refusal(code))).toEqual({
      kind: 'Error',
      id: status,
      href: '',
      code: String(status),
      reason: 'The name is too long.',
    });
  });

  it('converts to the infra error of the v2 API', () => {
    expect(toV2InfraError(refusal(code))).toEqual({ code: status, message: 'The name is too long.' });
  });
});

describe('the list of allowed values', () => {
  const allowed = ['arm64', 'x86_64'];

  it('is part of both bodies', () => {
    expect(toProblemDocument({ ...refusal('invalid-input'), allowed }).allowed).toEqual(allowed);
    expect(toV2Error({ ...refusal('invalid-input'), allowed }).reason).toBe(
      'The name is too long. Allowed: arm64, x86_64.',
    );
  });

  it('is absent when the refusal has no allowed values', () => {
    expect(toProblemDocument({ ...refusal('invalid-input'), allowed: [] }).allowed).toBeUndefined();
    expect(toV2Error({ ...refusal('invalid-input'), allowed: [] }).reason).toBe('The name is too long.');
  });
});

describe('RefusalError', () => {
  it('has the refusal and its reason as message', () => {
    const error = new RefusalError(refusal('not-found'));
    expect(error.message).toBe('The name is too long.');
    expect(error.refusal.code).toBe('not-found');
    expect(error).toBeInstanceOf(Error);
  });
});
