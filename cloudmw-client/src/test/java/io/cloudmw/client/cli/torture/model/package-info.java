@NullMarked
package io.cloudmw.client.cli.torture.model;

import org.jspecify.annotations.NullMarked;
