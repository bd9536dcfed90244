package io.cloudmw.core.model;

/**
 * A helper and where it listens.
 *
 * @param control {@code host:port} of its gRPC services
 * @param bulk {@code host:port} of its bulk plane
 */
public record HelperAddress(HelperId id, String control, String bulk) {}
