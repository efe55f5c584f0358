import { Controller, Get, Param } from '@nestjs/common';
import { operatorNamed, OPERATOR_NAMES, type OperatorProperty } from '@muster/operators';
import { RefusalError } from '@muster/problems';
import { Accepts } from '../../auth/accepts.decorator';

/** `operator-property` of the contract. */
interface V2OperatorProperty {
  readonly name: string;
  readonly data_type: OperatorProperty['dataType'];
  readonly mandatory: boolean;
  readonly options: readonly string[];
  readonly description: string;
  readonly default_value: string;
}

@Controller('v2/supported-operators/:operator_name')
export class ShowOperatorPropertiesController {
  @Get()
  @Accepts('userAuth')
  handle(@Param('operator_name') name: string): readonly V2OperatorProperty[] {
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
