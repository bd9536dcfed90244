package io.cloudmw.lab.torture.model;

import io.cloudmw.core.model.VersionId;

/** A version whose id is known, with its bytes. */
public record Kept(VersionId version, Content content) {}
