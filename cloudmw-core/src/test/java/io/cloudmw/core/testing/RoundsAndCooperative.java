package io.cloudmw.core.testing;

import io.cloudmw.core.model.Mode;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A test of an accident that takes two different paths: races, and single attempts that are relayed while they are
 * fetched. It runs in the paper's mode and in the default one; its parameter is the mode.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest
@EnumSource(
        value = Mode.class,
        names = {"ROUNDS", "COOPERATIVE"})
public @interface RoundsAndCooperative {}
