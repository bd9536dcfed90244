package io.cloudmw.core.config;

/**
 * A setting that a component reads.
 *
 * @param defaultValue in its written form; empty when there is none
 * @param value the given value, or the default; secrets are redacted
 */
public record Setting(String key, String defaultValue, String value) {}
