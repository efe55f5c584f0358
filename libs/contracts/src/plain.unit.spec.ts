import { RegistrationService } from './gen/muster/v1/registration_pb';
import { toPlainForm } from './plain';

describe('toPlainForm', () => {
  const schema = RegistrationService.method.nextSteps.input;

  it('accepts any text that UTF-8 can encode', () => {
    expect(toPlainForm(schema, { hostId: 'z\u00fcrich \u{1f680}' })).toMatchObject({ hostId: 'zürich 🚀' });
  });

  it('throws with the name of the field for a lone surrogate', () => {
    expect(() => toPlainForm(schema, { hostId: 'a\ud83d' })).toThrow(/hostId|host_id/i);
  });
});
