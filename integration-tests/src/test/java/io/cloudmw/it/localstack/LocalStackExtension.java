package io.cloudmw.it.localstack;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * An extension that gives the test JVM's shared {@link LocalStack} to tests that ask for it as a parameter. The first
 * such test starts the instance, which runs until the JVM's last test. When no instance can be started, the test fails.
 */
public final class LocalStackExtension implements ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(LocalStackExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == LocalStack.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(ExtensionContext.StoreScope.LAUNCHER_SESSION, NAMESPACE)
                .getOrComputeIfAbsent(LocalStack.class, key -> LocalStackStarter.shared(), LocalStack.class);
    }
}
