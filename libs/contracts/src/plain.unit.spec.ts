import { RegistrationService } from './gen/muster/v1/registration_pb';
import { toPlainForm } from './plain';

describe('the plain form of a message', () => {
  const schema = RegistrationService.method.nextSteps.input;

  it('takes any text that can be written as UTF-8', () => {
    expect(toPlainForm(schema, { hostId: 'z\u00fcrich \u{1f680}' })).toMatchObject({ hostId: 'zürich 🚀' });
  });

  it('refuses half a character by the name of its field', () => {
    expect(() => toPlainForm(schema, { hostId: 'a\ud83d' })).toThrow(/hostId|host_id/i);
  });
});
