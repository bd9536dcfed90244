package io.cloudmw.core.schedule;

import io.cloudmw.core.model.Priority;

/**
 * On whose behalf something is done. Immutable.
 *
 * @param client has one share, however many streams it opens
 * @param volume whose bytes these are
 * @param priority its class
 */
public record Tenant(String client, String volume, Priority priority) {}
