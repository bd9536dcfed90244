package io.cloudmw.core.config;

/**
 * One setting that a component reads.
 *
 * @param defaultValue as it would be written; empty when there is none
 * @param value as it was given, or the default; secrets are redacted
 */
public record Setting(String key, String defaultValue, String value) {}
