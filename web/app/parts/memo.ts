import { Component, type ComponentType, createElement, type FunctionComponent } from 'preact';

/** Renders a component again only when one of its properties is another. */
export function memo<Props extends object>(shown: FunctionComponent<Props>): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>) {
      const before = this.props as Readonly<Record<string, unknown>>;
      return Object.entries(next).some(([name, value]) => before[name] !== value);
    }

    override render() {
      return createElement(shown as ComponentType<object>, this.props);
    }
  };
}
