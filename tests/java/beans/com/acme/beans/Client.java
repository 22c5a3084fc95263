package com.acme.beans;

import com.sun.tools.attach.VirtualMachine;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** A client of JMX: asks the runtime's managed bean in another JVM, and prints what it replies. */
public final class Client {
    private Client() {
    }

    /** The process id, then requests. */
    public static void main(String[] arguments) throws Exception {
        VirtualMachine machine = VirtualMachine.attach(arguments[0]);
        JMXServiceURL address = new JMXServiceURL(machine.startLocalManagementAgent());
        machine.detach();
        ObjectName bean = new ObjectName("io.weighbridge:type=Runtime");
        try (JMXConnector connector = JMXConnectorFactory.connect(address)) {
            for (int i = 1; i < arguments.length; i++) {
                System.out.println(connector.getMBeanServerConnection().invoke(bean, "request", new Object[] {arguments[i]},
                        new String[] {String.class.getName()}));
            }
        }
    }
}
