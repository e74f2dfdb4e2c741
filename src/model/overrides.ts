import type { ModelRef, WireName } from "../protocol/model-port.ts";

/** What config may say about providers and models (`models` in the config file); names win over the shipped ones. */
export type ModelOverrides = {
  providers?: Record<string, ProviderOverride>;
  /** By `provider/model` or by the model's bare name; the longer one wins. */
  models?: Record<string, ModelOverride>;
};

export type ProviderOverride = {
  baseUrl?: string;
  wire?: WireName;
  /** Name of the credential; empty text: the provider needs none. */
  keyName?: string;
  headers?: Record<string, string>;
};

export type ModelOverride = {
  /** Tokens. */
  contextWindow?: number;
  maxOutput?: number;
  images?: boolean;
  /** US dollars per million tokens; missing cache prices count as the input price. */
  price?: PriceOverride | null;
};

export type PriceOverride = { input: number; output: number; cacheRead?: number; cacheWrite?: number };

/** A price with its cache classes filled in. */
export function wholePrice(price: PriceOverride): NonNullable<ModelRef["price"]> {
  const { input, output, cacheRead = input, cacheWrite = input } = price;
  return { input, output, cacheRead, cacheWrite };
}
