import { IsOptional, IsString, MaxLength } from 'class-validator';
import { IsTimestamp, LastValue, TEXT_MAX_CHARACTERS } from '../requests/field.decorators';

/** Which clusters count: those created from `from` on and before `to`. */
export class FunnelQuery {
  @IsOptional() @IsTimestamp() @LastValue() readonly from?: string;
  @IsOptional() @IsTimestamp() @LastValue() readonly to?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly openshift_version?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly platform?: string;
  @IsOptional() @MaxLength(TEXT_MAX_CHARACTERS) @IsString() @LastValue() readonly topology?: string;
}

/** The moment of the past that is asked for; the present without one. */
export class PastQuery {
  @IsOptional() @IsTimestamp() @LastValue() readonly at?: string;
}
