import { Controller, Get } from '@nestjs/common';
import { choice, flag, list, record, type Static, text } from '@muster/assisted-api';
import { operatorNamed, OPERATOR_NAMES, type OperatorProperty } from '@muster/operators';
import { RefusalError } from '@muster/problems';
import { Answers } from '../../api-document/answers.decorator';
import { PathParam } from '../../http/parameters.decorators';
import { Accepts } from '../../auth/accepts.decorator';

/** `operator-property` of the contract. */
const V2_OPERATOR_PROPERTY = record('operator-property', {
  name: text(),
  data_type: choice<OperatorProperty['dataType']>(['boolean', 'string', 'integer', 'float']),
  mandatory: flag(),
  options: list(text()),
  description: text(),
  default_value: text(),
});
type V2OperatorProperty = Static<typeof V2_OPERATOR_PROPERTY>;

@Controller('v2/supported-operators/:operator_name')
export class ShowOperatorPropertiesController {
  @Get()
  @Answers('Tells what can be set of an operator.', list(V2_OPERATOR_PROPERTY))
  @Accepts('userAuth')
  handle(@PathParam('operator_name') name: string): readonly V2OperatorProperty[] {
    const operator = operatorNamed(name);
    if (!operator)
      throw new RefusalError({
        code: 'not-found',
        reason: 'There is no such operator.',
        subject: 'operator_name',
        allowed: OPERATOR_NAMES,
      });
    return operator.properties.map(({ dataType, defaultValue, ...property }) => ({
      ...property,
      data_type: dataType,
      default_value: defaultValue,
    }));
  }
}
