package io.cloudmw.lab.fanout;

/** A listener for the steps of a benchmark. */
@FunctionalInterface
public interface LabSteps {
    void say(String what);
}
