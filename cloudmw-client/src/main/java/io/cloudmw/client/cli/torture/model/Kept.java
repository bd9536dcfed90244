package io.cloudmw.client.cli.torture.model;

import io.cloudmw.core.model.VersionId;

/** A version whose id is known, and its bytes. */
public record Kept(VersionId version, Content content) {}
